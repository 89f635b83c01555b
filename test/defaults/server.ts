import { createServer } from 'node:http';

/** A server on this machine that tries to lead its clients to another host. */
export interface LocalServer {
  /** `host:port` */
  readonly address: string;
  close(): void;
}

/** Redirects, offers another service, sets cookies, and names a file to save. */
const LURES: Record<string, string[]> = {
  Location: ['http://192.0.2.1/'],
  'Alt-Svc': ['h2="192.0.2.1:443"; ma=86400; persist=1'],
  'Set-Cookie': ['a=b; Path=/'],
  'Content-Disposition': ['attachment; filename=.bashrc'],
  'Strict-Transport-Security': ['max-age=31536000'],
  Link: ['<http://192.0.2.1/x>; rel=preload'],
};

export async function startServer(): Promise<LocalServer> {
  const server = createServer((_request, response) => {
    response.writeHead(302, LURES);
    response.end('moved\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    address: `127.0.0.1:${address.port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
