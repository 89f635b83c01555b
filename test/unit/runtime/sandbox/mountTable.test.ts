import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectMounts, readMounts } from '../../../../src/runtime/sandbox/linux/layout.ts';

/** As proc_pid_mountinfo(5) describes it. `/data/home` and the first of `/srv` are covered by later mounts. */
const TABLE = `20 1 8:1 / / rw - ext4 /dev/sda1 rw
21 20 8:2 /@sub /data/home rw shared:1 - btrfs /dev/sdb rw
22 20 8:3 / /data rw - xfs /dev/sdc rw
23 20 0:40 / /srv rw - autofs none rw
24 23 0:41 /share /srv rw - nfs4 server:/share rw
25 22 8:4 / /data/with\\040space rw - ext4 /dev/sdd rw
26 20 8:5 / /home rw - ext4 /dev/sde rw
27 26 8:2 /@u /home/u rw - btrfs /dev/sdb rw
`;

test('the mount of a path is the one that the kernel finds, whatever else is listed', () => {
  const mounts = readMounts(TABLE);
  const expect = (from: string, to = from) => expectMounts([{ from, to }], mounts)[0];
  assert.equal(expect('/etc/x', '/y'), '8:1 /etc/x /y');
  assert.equal(expect('/data/home/u'), '8:3 /home/u /data/home/u');
  assert.equal(expect('/srv/a/b'), '0:41 / /srv/a/b');
  assert.equal(expect('/data/with space/a b'), '8:4 /a\\040b /data/with\\040space/a\\040b');
  assert.equal(expect('/home/u/ws'), '8:2 /@u/ws /home/u/ws');
  assert.equal(expect('/home/u'), '8:2 /@u /home/u');
  assert.equal(expect('/home/other'), '8:5 /other /home/other');
  assert.equal(expect('/'), '8:1 / /');
  const ofInitramfs = readMounts('1 1 0:2 / / rw - rootfs rootfs rw\n');
  assert.deepEqual(expectMounts([{ from: '/a', to: '/a' }], ofInitramfs), ['0:2 /a /a']);
});
