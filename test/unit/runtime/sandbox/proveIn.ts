import path from 'node:path';
import { createSandbox } from '../../../../src/runtime/sandbox/createSandbox.ts';

/** Prints whether the sandbox is proven with a data folder in the folder that is given. */
const folder = path.join(process.argv[2] ?? '', 'data/copies');
const env = { ...process.env, GATEHOUSE_BWRAP: '' };
const { state } = await createSandbox({ folder, env });
process.stdout.write(JSON.stringify(state));
