/** What the wrapper of a run wrote. */
export interface RunCounters {
  /** The command was started; otherwise the sandbox itself failed. */
  readonly began: boolean;
  /** It tried to reach the network, or a service of this machine, in vain. */
  readonly wantedNetwork: boolean;
}

/** Counters of packets without a route, of refused connections and of unanswered name lookups. */
const COUNTERS: readonly (readonly [line: string, field: string])[] = [
  ['Ip:', 'OutNoRoutes'],
  ['Tcp:', 'AttemptFails'],
  ['Udp:', 'NoPorts'],
];

/** Parses the report: what bwrap says, `began`, then `/proc/net/snmp` and `snmp6`. Anything else counts as nothing. */
export function parseReport(text: string): RunCounters {
  const lines = text.split('\n').map((line) => line.trim().split(/\s+/));
  const moved = COUNTERS.some(([name, field]) => {
    const [names, values] = lines.filter(([first]) => first === name);
    const at = names?.indexOf(field) ?? -1;
    return at >= 0 && Number(values?.[at]) > 0;
  });
  const moved6 = lines.some(([name, value]) => name === 'Ip6OutNoRoutes' && Number(value) > 0);
  return { began: lines.some(([first]) => first === 'began'), wantedNetwork: moved || moved6 };
}
