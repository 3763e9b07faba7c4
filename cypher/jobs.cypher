// Jobs of the service: how far an upload is. They hold no text of a document.

// name: find_job
// mode: read
// summary: Gives a job.
// param job_id: STRING
// returns: kept
MATCH (j:Ragspine:ServiceJob {id: 'job:' + $job_id})
  USING INDEX SEEK j:Ragspine(id)
RETURN properties(j) AS kept;

// name: read_jobs
// mode: read
// summary: Gives the newest jobs, newest first.
// param limit: INTEGER
// returns: kept
MATCH (j:Ragspine:ServiceJob)
RETURN properties(j) AS kept
ORDER BY j.created_at DESC, j.job_id
LIMIT $limit;

// name: put_job
// mode: write
// summary: Keeps a job in place of what was known of it; a wish to cancel it stays.
// param job_id: STRING
// param first: MAP - what is said of a new one
// param properties: MAP
// returns: nothing
MERGE (j:Ragspine:ServiceJob {id: 'job:' + $job_id})
ON CREATE SET j += $first
SET j += $properties;

// name: cancel_job
// mode: write
// summary: Notes that somebody wants a job to end; no row when it is over or unknown.
// param job_id: STRING
// returns: job_id
MATCH (j:Ragspine:ServiceJob {id: 'job:' + $job_id})
  USING INDEX SEEK j:Ragspine(id)
WHERE j.state IN ['queued', 'running']
SET j.is_cancelled = true
RETURN j.job_id AS job_id;

// name: touch_jobs
// mode: write
// summary: Notes that the process of these jobs is still at work.
// param job_ids: LIST<STRING>
// param at: STRING - ISO 8601, UTC
// returns: nothing
UNWIND $job_ids AS job_id
MATCH (j:Ragspine:ServiceJob {id: 'job:' + job_id})
  USING INDEX SEEK j:Ragspine(id)
WHERE j.state IN ['queued', 'running']
SET j.updated_at = $at;
