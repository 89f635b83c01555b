import { checkCalls, PLANTED } from '../lines.ts';

// If neither folder can be entered, the line runs where it started.
const ALL = 'bash * allow';
const START = 'fs.write x allow';

// A line that may run in either of two folders is decided by the stricter one, whichever is first.
checkCalls('bash', [
  [
    'cd src || cd docs; echo y > x',
    [ALL, START, 'fs.write src/x allow', 'fs.write docs/x allow'],
    'allow',
  ],
  [
    'cd src || cd docs; echo y > x',
    [ALL, START, 'fs.write src/x deny', 'fs.write docs/x allow'],
    'deny',
  ],
  [
    'cd docs || cd src; echo y > x',
    [ALL, START, 'fs.write src/x deny', 'fs.write docs/x allow'],
    'deny',
  ],
  [
    'cd src || cd docs; echo y > x',
    [ALL, START, 'fs.write src/x ask', 'fs.write docs/x allow'],
    'ask',
  ],
  [
    'cd docs || cd src; echo y > x',
    [ALL, START, 'fs.write src/x ask', 'fs.write docs/x deny'],
    'deny',
  ],
  ['cd src || cd docs; cat x', [ALL, 'fs.read src/x ask', 'fs.read docs/x deny'], 'deny'],
  ['cd docs || cd src; cat x', [ALL, 'fs.read src/x ask', 'fs.read docs/x deny'], 'deny'],
]);

const IN_SRC = {
  capabilities: { shell: [{ cmd: '*' }], fs: { read: ['**'], write: ['src/**', 'x'] } },
};
const DENY = [ALL, START, 'fs.write src/x deny', 'fs.write docs/x allow'];
const ALLOW = [ALL, START, 'fs.write src/x allow', 'fs.write docs/x allow'];

// A refusal of the capability set is stricter than a deny.
checkCalls(
  'bash',
  [
    ['cd src; echo y > x', ALLOW, 'allow'],
    ['cd src; echo y > x', DENY, 'deny'],
    ['cd src || cd docs; echo y > x', ALLOW, 'refuse'],
    ['cd docs || cd src; echo y > x', ALLOW, 'refuse'],
    ['cd src || cd docs; echo y > x', DENY, 'refuse'],
    ['cd docs || cd src; echo y > x', DENY, 'refuse'],
    ['cd docs || cd lib; echo y > x', ALLOW, 'refuse'],
  ],
  { ...IN_SRC, workspace: PLANTED },
);
