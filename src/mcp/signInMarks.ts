import { type Clock, systemClock } from '../base/clock.ts';
import type { ToolOffer } from '../tools/toolSource.ts';
import type { McpConnection } from './connect/connection.ts';
import { inTime } from './inTime.ts';
import type { SignIns } from './oauth/signIns.ts';

/** The servers that a sign-in is kept for. Only a mark for the user depends on it, so it may stay unknown. */
export async function findSignedIn(
  open: readonly McpConnection[],
  signIns: SignIns,
  clock: Clock = systemClock,
): Promise<ReadonlySet<McpConnection>> {
  const found = new Set<McpConnection>();
  const find = async (each: McpConnection) => {
    if (await signIns.isSignedIn(each.server).catch(() => false)) found.add(each);
  };
  await inTime(clock, Promise.all(open.map(find)));
  return found;
}

/** Lets the view offer what the user can do about it. */
export function markSignIn(
  offer: ToolOffer,
  connection: McpConnection,
  signedIn: ReadonlySet<McpConnection> | undefined,
): ToolOffer {
  const { state } = connection;
  const isNeeded = state.type === 'down' && state.needsSignIn;
  if (!isNeeded && !signedIn?.has(connection)) return offer;
  const mark = { signIn: isNeeded ? ('needed' as const) : ('done' as const) };
  return {
    ...offer,
    tools: offer.tools.map((each) => ({ ...each, ...mark })),
    notOffered: offer.notOffered.map((each) => ({ ...each, ...mark })),
  };
}
