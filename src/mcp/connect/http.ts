// Loaded on first use only, like the library that it serves.
export { Agent, fetch } from 'undici';
