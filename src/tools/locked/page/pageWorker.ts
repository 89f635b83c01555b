import { parentPort, workerData } from 'node:worker_threads';
import { renderHere } from './renderHere.ts';

/** The worker thread that renders one large page; `workerData` holds the arguments of `renderHere`. */
const { html, url, format } = workerData;
parentPort?.postMessage(renderHere(html, url, format));
