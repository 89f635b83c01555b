// Loaded on first use only: the library is large, and most sessions have no server.
export {
  auth,
  Client,
  deserializeMessage,
  extractWWWAuthenticateParams,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
