import type { Settings } from '../../config/settings.ts';
import type { HostServices } from '../../services/hostServices.ts';
import type { ToolSession } from '../tools/callContext.ts';

/**
 * How the session's edits are reviewed. `each` where nobody can be asked, for a subagent, and for a client that can't show the
 * review that the settings ask for, which its user is told once.
 */
export function findReviewMode(
  services: HostServices,
  session: ToolSession,
): Settings['reviewMode'] {
  const { client, warn } = services;
  const { reviewMode } = session.configuration().settings;
  // The review of a subagent would end with it, before the user has seen it.
  const isChild = session.parent !== undefined;
  if (reviewMode === 'each' || !session.canAsk || isChild) return 'each';
  const { review, unreviewed } = client.facts;
  if (reviewMode === 'turn' ? review : unreviewed) return reviewMode;
  if (!fellBack.has(services)) {
    fellBack.add(services);
    warn(
      `gatehouse.review.mode is "${reviewMode}", but this editor cannot show such a review. Every edit is asked about instead.`,
    );
  }
  return 'each';
}

/** Hosts whose client was told that its reviews are per edit. */
const fellBack = new WeakSet<HostServices>();
