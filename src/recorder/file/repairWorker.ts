import { parentPort, workerData } from 'node:worker_threads';
import { getMessage } from '../../base/faults.ts';
import { type Repair, repairFile } from './repairFile.ts';

/** The worker thread that checks and repairs the history; `workerData` is a `RepairJob`. */
let result: Repair;
try {
  result = repairFile(workerData);
} catch (error) {
  result = { kind: 'failed', message: getMessage(error) };
}
parentPort?.postMessage(result);
