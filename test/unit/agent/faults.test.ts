import assert from 'node:assert/strict';
import { test } from 'node:test';
import { APICallError } from 'ai';
import { parseRetryAfter, toFault } from '../../../src/agent/endpoint/faults.ts';
import { backOff } from '../../../src/agent/endpoint/retry.ts';
import { cpuTime } from '../cpuTime.ts';

const NOW = Date.UTC(2026, 0, 1);

checkRetryAfter({ 'retry-after': '7' }, 7000);
checkRetryAfter({ 'retry-after': '0' }, 0);
checkRetryAfter({ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000);
checkRetryAfter({ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0);
checkRetryAfter({ 'retry-after': 'soon' }, undefined);
checkRetryAfter({ 'retry-after': '7', 'retry-after-ms': '1500' }, 1500);
checkRetryAfter({}, undefined);

test('known secrets and the credentials of a URL are not shown, also at the cut of a long text', () => {
  const secret = 'correct horse/"battery"';
  const shown = [
    `no ${secret} and https://me:pa55@h/x?y=1`,
    JSON.stringify({ key: secret }),
    `u=${encodeURIComponent(secret)}`,
    `${'x'.repeat(285)} ${secret} end`,
  ].map((message) => toFault({ error: { message } }, NOW, [secret, 'a']).text);
  for (const text of shown) assert.doesNotMatch(text, /correct|horse|battery|pa55/);
  assert.match(shown[0] ?? '', /no … and https:\/\/…@h\/x\?y=1/);
});

function checkRetryAfter(headers: Record<string, string>, expected: number | undefined) {
  test(`${JSON.stringify(headers)} waits ${expected} ms`, () => {
    assert.equal(parseRetryAfter(headers, NOW), expected);
  });
}

for (const [code, passing] of [
  ['EAI_AGAIN', true],
  ['ECONNRESET', true],
  ['UND_ERR_CONNECT_TIMEOUT', true],
  ['ENOTFOUND', false],
  ['ECONNREFUSED', false],
] as const) {
  test(`${code} before an answer is ${passing ? '' : 'not '}retried`, () => {
    const cause = new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code }) });
    const call = { message: 'Cannot connect', url: 'http://a.test/v1', requestBodyValues: {} };
    const fault = toFault(new APICallError({ ...call, cause }), NOW);
    const offline = ['ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH'].includes(code);
    assert.equal(fault.kind, offline ? 'offline' : 'unreachable');
    assert.equal(backOff(fault, 1, 4) !== undefined, passing);
  });
}

test('a redirect shows no secret', () => {
  const responseHeaders = { location: 'https://me:pa55@h/v1?k=correct-horse' };
  const call = {
    message: 'Found',
    url: 'http://a.test/v1',
    requestBodyValues: {},
    statusCode: 302,
  };
  const { text } = toFault(new APICallError({ ...call, responseHeaders }), NOW, ['correct-horse']);
  assert.match(text, /redirects to https:\/\/…@h\/v1\?k=…, and Gatehouse/);
});

test('a key that the endpoint repeats does not reach the message', () => {
  const { text } = toFault(new Error('bad key sk-abcdefghijklmnop and Bearer abcdefghijkl'), NOW);
  assert.match(text, /bad key sk-… and Bearer …/);
});

test('an HTML error page is shortened', () => {
  const { text } = toFault(new Error(`<html>\n${'x'.repeat(10_000)}`), NOW);
  assert.equal(text.length < 500, true);
  assert.equal(text.includes('\n'), false);
});

checkBackOff({ status: 429 }, 1, 1000);
checkBackOff({ status: 500 }, 4, 8000);
checkBackOff({ status: 503, retryAfterMs: 0 }, 2, 0);
checkBackOff({ status: 500 }, 5, undefined);
checkBackOff({ status: 401 }, 1, undefined);
checkBackOff({}, 1, undefined);
checkBackOff({ status: 429, retryAfterMs: 60_001 }, 1, undefined);

function checkBackOff(
  fault: { readonly status?: number; readonly retryAfterMs?: number },
  attempt: number,
  expected: number | undefined,
) {
  test(`after try ${attempt} with ${JSON.stringify(fault)} the wait is ${expected} ms`, () => {
    const whole = { kind: 'other', retryable: true, text: '', ...fault } as const;
    assert.equal(backOff(whole, attempt, 4), expected);
  });
}

for (const [what, statusCode, message, kind] of [
  ['a rate limit', 429, 'Slow down', 'rate-limited'],
  ['used-up quota', 429, 'You exceeded your current quota', 'quota'],
  ['used-up credit', 402, 'Pay', 'quota'],
] as const) {
  test(`${what} says when the provider accepts requests again`, () => {
    const call = { message, url: 'http://a.test/v1', requestBodyValues: {}, statusCode };
    const fail = (responseHeaders: Record<string, string>) =>
      toFault(new APICallError({ ...call, responseHeaders }), NOW);
    const fault = fail({ 'retry-after': '5400' });
    assert.equal(fault.kind, kind);
    assert.match(fault.text, /It accepts requests again in 90 min\./);
    assert.doesNotMatch(fail({}).text, /requests again/);
  });
}

for (const body of [
  'models/'.repeat(140_000),
  '"not_found_error"'.repeat(60_000),
  'model '.repeat(160_000),
]) {
  test(`an error of a megabyte that repeats ${body.slice(0, 8)} is explained at once`, async () => {
    const answer = { url: 'http://x', requestBodyValues: {}, statusCode: 400, responseBody: body };
    const error = new APICallError({ ...answer, message: 'No.' });
    const spent = await cpuTime(() => assert.equal(toFault(error, NOW).kind, 'other'));
    assert.ok(spent < 1_000, `${spent} ms`);
  });
}
