// Loaded on first use only: the library is large, and most sessions have no server.
export {
  Client,
  deserializeMessage,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
