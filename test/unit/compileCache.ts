/**
 * For the environment of a host that a test starts: the folder of compiled modules that `npm test`
 * names. A host that is compiled anew takes over a second of CPU time until its first turn.
 */
export const COMPILE_CACHE: NodeJS.ProcessEnv =
  process.env['NODE_COMPILE_CACHE'] === undefined
    ? {}
    : { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] };
