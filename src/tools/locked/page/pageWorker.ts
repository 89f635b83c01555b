import { parentPort, workerData } from 'node:worker_threads';
import { renderHere } from './renderHere.ts';

/** The thread of one large page: its `workerData` are the arguments of `renderHere`. */
const { html, url, format } = workerData;
parentPort?.postMessage(renderHere(html, url, format));
