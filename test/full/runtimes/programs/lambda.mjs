// A function on AWS Lambda: answers HTTP requests of an API Gateway, and reads issues named in messages of a queue.
import process from 'node:process';
import { LinearConnector } from 'agent-connectors/linear';

// Created once per instance, so that invocations share its connections.
const linear = new LinearConnector({
  credentials: { api_key: process.env.LINEAR_API_KEY },
  endpoints: process.env.LINEAR_URL,
});

/** Handles HTTP requests of an API Gateway (payload 2.0), and messages of a queue. */
export async function handler(event) {
  return event.Records ? readMessages(event.Records) : answer(event);
}

async function answer({ queryStringParameters }) {
  try {
    const { data } = await linear.issues.list({ first: Number(queryStringParameters?.first ?? 10) });
    return respond(
      200,
      data.map(({ identifier, title }) => ({ identifier, title })),
    );
  } catch (error) {
    return respond(error.status ?? 502, { code: error.code, message: error.message });
  }
}

const respond = (statusCode, body) => ({
  statusCode,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** Only the failed messages are delivered again: the queue needs `ReportBatchItemFailures`. */
async function readMessages(messages) {
  const results = await Promise.allSettled(messages.map(({ body }) => linear.issues.get(JSON.parse(body))));
  return {
    batchItemFailures: results.flatMap(({ status }, at) =>
      status === 'rejected' ? [{ itemIdentifier: messages[at].messageId }] : [],
    ),
  };
}
