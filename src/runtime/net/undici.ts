// Once bundled, a dynamically imported CommonJS package has no named exports. Importing it through
// this file keeps them and still loads undici on first use.
export { Agent, buildConnector, request } from 'undici';
