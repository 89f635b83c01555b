import type { CommandRow } from './defaultCommands.ts';

/** Commands that inspect archives and binaries without unpacking or running them. */
export const ARCHIVES: readonly CommandRow[] = [
  ...['tar tf', 'tar tvf', 'tar tzf', 'tar tzvf', 'tar tjf', 'tar tJf'].map(
    (pattern) => [pattern, ''] as const,
  ),
  ...['tar -tf', 'tar -tvf', 'tar -tzf', 'tar -tzvf', 'tar -tjf', 'tar -tJf'].map(
    (pattern) => [pattern, '-t -v -z -j -J -f'] as const,
  ),
  ['unzip -l', '-l -v -q'],
  ['unzip -p', '-p -q'],
  ['zipinfo', '-1 -l -s -m -v -h -t'],
  ['zcat', '-f'],
  ['bzcat', ''],
  ['xzcat', ''],
  ['zgrep', '-n -i -c -l -h -H -v -E -F -w -m:'],
  ['gzip -l', '-l -v'],
  ['gzip -dc', '-d -c'],
  ['gunzip -c', '-c'],
  ['xz -l', '-l -v'],
  ['nm', '-D -C -g -u -n -S -A'],
  ['objdump', '-d -h -t -T -x -p -f -s -C -j: -r'],
  ['readelf', '-h -S -l -d -s -a -n -W -V'],
  ['size', ''],
  [
    'openssl x509',
    '-in -noout -text -subject -issuer -dates -enddate -startdate -fingerprint -serial -sha256',
  ],
  ['openssl dgst', '-sha256 -sha1 -sha512 -md5 -r -hex'],
  ['openssl rand', '-hex -base64'],
  ['openssl version', '! -a -v'],
];

/** Commands that inspect the packages and logs of this machine. */
export const INSPECTION: readonly CommandRow[] = [
  ['apt list', '--installed --upgradable'],
  ['apt show', ''],
  ['apt search', ''],
  ...['policy', 'search', 'show', 'depends'].map((each) => [`apt-cache ${each}`, ''] as const),
  ...['-l', '-L', '-s', '-S'].map((flag) => [`dpkg ${flag}`, flag] as const),
  ['journalctl', '-u: -n: -b -r -e -f -x -o: -p: -k --no-pager --since= --until= --unit= --lines='],
];
