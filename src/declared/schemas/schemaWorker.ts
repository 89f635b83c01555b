import { parentPort } from 'node:worker_threads';
import { createSchemaRunner } from './schemaRunner.ts';

/** The worker thread that compiles the schemas of manifests and validates values against them. */
const run = createSchemaRunner();
parentPort?.on('message', (job) => parentPort?.postMessage(run(job)));
parentPort?.postMessage('ready');
