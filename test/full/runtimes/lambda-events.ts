/** An HTTP request, as API Gateway passes it to a function (payload format 2.0). */
export const httpEvent = (query: string) => ({
  version: '2.0',
  routeKey: 'GET /issues',
  rawPath: '/issues',
  rawQueryString: query,
  headers: { accept: '*/*', host: 'abcde12345.execute-api.eu-central-1.amazonaws.com', 'x-forwarded-proto': 'https' },
  queryStringParameters: Object.fromEntries(new URLSearchParams(query)),
  requestContext: {
    accountId: '123456789012',
    apiId: 'abcde12345',
    domainName: 'abcde12345.execute-api.eu-central-1.amazonaws.com',
    http: { method: 'GET', path: '/issues', protocol: 'HTTP/1.1', sourceIp: '203.0.113.5', userAgent: 'curl/8.7.1' },
    requestId: 'JKJaXmPLvHcESHA=',
    routeKey: 'GET /issues',
    stage: '$default',
    timeEpoch: 1_764_388_800_000,
  },
  isBase64Encoded: false,
});

/** Messages of a queue, as SQS passes them to a function. */
export const queueEvent = (bodies: readonly object[]) => ({
  Records: bodies.map((body, at) => ({
    messageId: `message-${at + 1}`,
    receiptHandle: 'AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a',
    body: JSON.stringify(body),
    attributes: { ApproximateReceiveCount: '1', SentTimestamp: '1764388800000', SenderId: 'AIDAIENQZJOLO23YVJ4VO' },
    messageAttributes: {},
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-central-1:123456789012:issues',
    awsRegion: 'eu-central-1',
  })),
});
