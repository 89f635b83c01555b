/** One goal of the benchmark: a ratio to a named anchor measured in the same interleaved run. */
export interface Row {
  readonly goal: string;
  readonly anchor: string;
  /** Our time divided by the anchor's. */
  readonly ratio: number;
  /** The goal is met when `ratio` is at most this. */
  readonly limit: number;
}

/** The median; for an even count the upper of the two middle values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Runs the contenders alternately in rounds and returns each one's median in milliseconds. */
export async function interleave<Name extends string>(
  rounds: number,
  contenders: Readonly<Record<Name, () => Promise<number>>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(contenders) as Name[];
  const samples = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) samples.get(name)?.push(await contenders[name]());
  }
  const medians = names.map((name) => [name, median(samples.get(name) ?? [])] as const);
  return Object.fromEntries(medians) as Record<Name, number>;
}
