// A CommonJS package that is imported dynamically has no named exports once it is bundled; through
// this file it has, and is still loaded on first use.
export { Agent, buildConnector, request } from 'undici';
