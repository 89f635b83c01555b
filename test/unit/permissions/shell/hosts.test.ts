import { check, spelled } from '../checks.ts';

const HOST = 'net.fetch evil.example deny';
// Curl 7.88 connects to the host for every one of these.
for (const url of [
  'evil.example',
  'evil.example/x',
  'evil.example:8080',
  'me@evil.example',
  'me:secret@evil.example/x',
  'EVIL.example.',
  'http://evil.example',
  'http:/evil.example/x',
  'HTTPS:/evil.example',
  'http:///evil.example',
  'ftp:/evil.example',
  'dict:/evil.example',
  'http://a@b@evil.example',
  'http://evil%2eexample',
]) {
  check(HOST, `curl ${url}`, 'deny');
  check('net.fetch other.example deny', `curl ${url}`, 'allow');
}
// Where programs differ in what is the host, it is asked, and a deny of either holds.
for (const url of [
  'http://good.example\\@evil.example/x',
  'http://evil.example\\@good.example/x',
  'http://evil.example\\x',
  'http://evil.example#@good.example',
  'http://evil.example?@good.example',
  'http://good.example#@evil.example',
]) {
  check(HOST, `curl '${url}'`, 'deny');
  check('net.fetch other.example deny', `curl '${url}'`, 'ask');
}
check(HOST, 'curl --referer=http://evil.example a.example', 'deny');
check(HOST, 'foo http:/evil.example', 'deny');
check(HOST, 'cat http://evil.example', 'deny');
check(HOST, 'scp evil.example:/x .', 'deny');
check(HOST, 'scp EVIL.example:x .', 'deny');
check(HOST, 'scp a:evil.example .', 'allow');
check(HOST, 'cat evil.example:/x', 'allow');

spelled('curl https://a.example/*', 'curl https://a.example/x', 'allow');
spelled('curl https://a.example*', 'curl https://a.example/x', 'allow');
spelled('curl https://a.example*', 'curl https://a.example', 'allow');
spelled('curl https://a.example*', "curl 'https://a.example?x'", 'allow');
spelled('curl https://a.example*', 'curl https://a.example.evil.example', 'ask');
spelled('curl https://a.example*', 'curl https://a.example@evil.example', 'ask');
spelled('curl https://a.example*', 'curl https://a.example\\\\@evil.example', 'ask');

// A URL of a file is a file.
for (const command of [
  'curl file:///nonexistent/workspace/.env',
  'curl file:/nonexistent/workspace/.env',
  'curl FILE://localhost/nonexistent/workspace/.env',
  'curl --url=file:/nonexistent/workspace/%2eenv',
])
  check('fs.read **/.env deny', command, 'deny');
