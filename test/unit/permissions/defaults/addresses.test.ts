import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, policyOf } from '../ask.ts';

const decide = async (line: string) =>
  (await evaluate(bashCall(line), policyOf(DEFAULT_RULES))).decision;

test('the addresses, links and routes of this machine are shown without a question', async () => {
  for (const line of ['ip a', 'ip addr', 'ip addr show', 'ip link', 'ip -br link', 'ip -4 addr'])
    assert.equal(await decide(line), 'allow', line);
  for (const line of ['ip -6 route', 'ip -o a', 'ip route', 'ip -br a | grep eth0'])
    assert.equal(await decide(line), 'allow', line);
});

test('what ip changes, reads from a file, runs or looks up asks', async () => {
  for (const line of [
    ...['ip addr add 10.0.0.1/8 dev eth0', 'ip addr flush dev eth0', 'ip link set eth0 down'],
    ...['ip link delete eth0', 'ip route add default via 10.0.0.1', 'ip route flush cache'],
    ...['ip a a 10.0.0.1/8 dev eth0', 'ip addr show dev eth0', 'ip link show type x', 'ip l'],
    ...['ip -b file', 'ip -batch file', 'ip -b file a', 'ip -4 -b file', 'ip -br -b file a'],
    ...['ip netns exec x sh', 'ip -n x a', 'ip -netns x addr', 'ip -all netns exec sh'],
    ...['ip -r route', 'ip -resolve a', 'ip -force link', 'ip route get example.com', 'ip monitor'],
    ...['ip -4 addr save', 'ip addr restore', 'ip a -4', 'ip link property add', './ip a'],
  ])
    assert.equal(await decide(line), 'ask', line);
});
