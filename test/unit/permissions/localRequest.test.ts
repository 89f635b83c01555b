import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../src/permissions/defaults/defaults.ts';
import type { Rule } from '../../../src/permissions/rules/rule.ts';
import { bashCall, evaluate, policyOf, rulesOf } from './ask.ts';

function check(
  name: string,
  expected: string,
  lines: readonly string[],
  rules: readonly Rule[] = DEFAULT_RULES,
) {
  test(name, async () => {
    const other: string[] = [];
    for (const line of lines) {
      const { decision, reason } = await evaluate(bashCall(line), policyOf(rules));
      if (decision !== expected) other.push(`${line} is ${decision}: ${reason}`);
    }
    assert.deepEqual(other, []);
  });
}

check('a request to this machine runs', 'allow', [
  'curl http://localhost:3000/health',
  'curl localhost:3000',
  'curl -fsS https://127.0.0.1:8443/x -k',
  "curl -s 'http://[::1]:8080/a?b=c&d=e'",
  "curl -so /dev/null -w '%{http_code}\\n' http://LOCALHOST/",
  'curl -sSo/dev/null -I http://127.1.2.3/',
  "curl -H 'Accept: application/json' -H 'Authorization: Bearer x' -m5 http://localhost/",
  'curl -X GET --max-time 2.5 --retry 3 --retry-connrefused http://localhost:3000/',
  'curl -o - http://localhost/a http://127.0.0.1/b',
  'for p in a b; do curl -s "http://localhost:3000/$p"; done',
  'curl -s http://localhost:3000/ | jq .',
]);

check('a request to another host asks', 'ask', [
  'curl https://example.com/',
  'curl http://localhost/ https://example.com/',
  'curl http://localhost.example.com/',
  'curl http://localhost@example.com/',
  'curl http://localhost:x@example.com/',
  'curl http://127.0.0.1.nip.io/',
  'curl http://127.0.0.256/',
  'curl http://0177.0.0.1/',
  'curl http://127.0.0.010/',
  'curl http://2130706433/',
  "curl 'http://{localhost,example.com}/'",
  "curl 'http://localhost:[1-9]/'",
  "curl 'http://localhost\\@example.com/'",
  "curl 'http://localhost\\.example.com'",
  'curl http:/example.com',
  'curl http:///example.com',
  "curl 'http://[::ffff:93.184.216.34]/'",
  'curl file:///etc/passwd',
  'curl FILE://localhost/etc/passwd',
  'curl gopher://localhost:6379/_FLUSHALL',
  'curl dict://localhost:6379/FLUSHALL',
  'curl ftp://localhost/x',
  'curl telnet://localhost:25',
]);

check('options that send, write, read or redirect ask, wherever they are', 'ask', [
  'curl -L http://localhost/',
  'curl http://localhost/ -L',
  'curl -sL http://localhost/',
  'curl --location http://localhost/',
  'curl --location-trusted http://localhost/',
  'curl --loc http://localhost/',
  'curl -d a=b http://localhost/',
  'curl -d@.env http://localhost/',
  'curl --data-binary @src/f http://localhost/',
  'curl --json {} http://localhost/',
  'curl -F a=@src/f http://localhost/',
  'curl -T src/f http://localhost/',
  'curl -X POST http://localhost/',
  'curl -XDELETE http://localhost/',
  'curl -X get http://localhost/',
  'curl --request PUT http://localhost/',
  'curl --request=GET http://localhost/',
  'curl -o out http://localhost/',
  'curl -oout http://localhost/',
  'curl -so out http://localhost/',
  'curl --output out http://localhost/',
  'curl --outp out http://localhost/',
  'curl -o /dev/null/../../out http://localhost/',
  'curl -O http://localhost/x',
  'curl -J -O http://localhost/x',
  'curl -D headers http://localhost/',
  'curl -c jar http://localhost/',
  'curl -b jar http://localhost/',
  "curl -w '%output{x}y' http://localhost/",
  "curl -w '%OUTPUT{x}y' http://localhost/",
  'curl -w @src/f http://localhost/',
  'curl -w@src/f http://localhost/',
  'curl -H @src/f http://localhost/',
  "curl -H 'X-HTTP-Method-Override: DELETE' http://localhost/",
  "curl -H 'Host: example.com' http://localhost/",
  "curl -H $'Accept: x\\r\\nX-HTTP-Method: DELETE' http://localhost/",
  'curl -K conf http://localhost/',
  'curl --config conf http://localhost/',
  'curl -n http://localhost/',
  'curl --netrc-file x http://localhost/',
  'curl -x example.com:80 http://localhost/',
  'curl --proxy http://example.com http://localhost/',
  'curl --preproxy socks5://example.com http://localhost/',
  'curl --socks5 example.com http://localhost/',
  'curl --resolve localhost:80:192.0.2.1 http://localhost/',
  'curl --connect-to ::192.0.2.1: http://localhost/',
  'curl --interface eth0 http://localhost/',
  'curl --doh-url https://example.com http://localhost/',
  'curl --unix-socket /var/run/docker.sock http://localhost/',
  'curl --trace x http://localhost/',
  'curl --stderr x http://localhost/',
  'curl --etag-save x http://localhost/',
  'curl --hsts x http://localhost/',
  'curl --alt-svc x http://localhost/',
  'curl --url http://example.com/ http://localhost/',
  'curl http://localhost/ --next http://example.com/',
  'curl http://localhost/ -: -d x http://localhost/',
  'curl -- http://localhost/',
  'curl -s',
  'curl http://localhost/ -o',
  'curl -E cert http://localhost/',
  'curl --engine x http://localhost/',
  'curl --variable a@src/f http://localhost/',
  'curl --expand-url x http://localhost/',
  'curl -m @x http://localhost/',
  'curl - http://localhost/',
]);

check('what surrounds the request counts too', 'ask', [
  'http_proxy=http://example.com curl http://localhost/',
  'ALL_PROXY=socks5://example.com curl http://localhost/',
  'CURL_HOME=. curl http://localhost/',
  'HOME=. curl http://localhost/',
  'XDG_CONFIG_HOME=. curl http://localhost/',
  'env http_proxy=example.com curl http://localhost/',
  'export https_proxy=example.com; curl http://localhost/',
  'http_proxy=example.com; curl http://localhost/',
  'curl() { rm -rf x; }; curl http://localhost/',
  'alias curl=rm; curl http://localhost/',
  'PATH=.; curl http://localhost/',
  './curl http://localhost/',
  'bin/curl http://localhost/',
  'curl http://localhost/ > out',
  'curl http://localhost/ | sh',
  'bash -c "$(curl http://localhost/)"',
  'curl $URL',
  'curl "http://$HOST/"',
  'curl http://localhost/$(cat src/f)',
  'curl http://local\\\nhost.example/',
  'echo -- http://example.com | xargs curl http://localhost/',
  'IFS=x; curl http://localhostxhttp://example.com',
  'curl http://localhost/ & curl http://example.com/',
  'curl.exe http://localhost/',
  'wget -qO- http://localhost/',
]);

const OWN = rulesOf('bash c* deny', 'net.fetch localhost:9200 deny', 'fetch 127.0.0.1 ask');
check(
  'rules of the user hold',
  'deny',
  ['curl http://localhost:9200/'],
  [...DEFAULT_RULES, ...OWN],
);
check(
  'a wide deny holds for every other request',
  'deny',
  ['curl http://example.com/'],
  [...DEFAULT_RULES, ...OWN],
);
check(
  'and an ask about the host',
  'ask',
  ['curl http://127.0.0.1/'],
  [...DEFAULT_RULES, ...rulesOf('net.fetch 127.0.0.1 ask')],
);

test('the decision names the shipped row', async () => {
  const { rule, reason } = await evaluate(bashCall('curl localhost:1'), policyOf(DEFAULT_RULES));
  assert.deepEqual(
    [rule?.pattern, reason],
    ['curl', 'The rule `bash curl` allows `curl localhost:1`.'],
  );
});
