// Starts OpenTelemetry before a program: NODE_OPTIONS='--import ./telemetry.mjs'. OTEL_SERVICE_NAME,
// OTEL_EXPORTER_OTLP_ENDPOINT and the other standard variables configure it.
import { NodeSDK } from '@opentelemetry/sdk-node';

const sdk = new NodeSDK();
sdk.start();
const stop = () => sdk.shutdown().catch(console.error);
process.once('beforeExit', stop);
process.once('SIGTERM', () => stop().finally(() => process.exit()));
