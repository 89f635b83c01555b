import { useEffect, useState } from 'preact/hooks';
import type { Attached, Chip } from '../messages/attached.ts';
import { useSurroundings } from '../state/context.ts';
import { findHolding } from './chipFocus.ts';
import type { DraftMessage } from './draft.ts';

export interface Sending {
  /** Sends the message, as soon as all that is attached is read. */
  send(): void;
  /** What could not be attached, else what the message that the user sent waits for. */
  readonly hint: string | undefined;
  /** Keeps the message that waits. False if none does. */
  keep(): boolean;
}

type Translate = ReturnType<typeof useSurroundings>['t'];

/** The message as it was when the user sent it. */
interface Asked {
  readonly text: string;
  readonly session: string;
}

/**
 * Sends the message, never without what is attached to it. A message that is changed meanwhile, or
 * that is not for the shown session, is kept.
 */
export function useSending(draft: DraftMessage, focus: EventTarget): Sending {
  const { t, host } = useSurroundings();
  const { text, attached } = draft;
  const [asked, setAsked] = useState<Asked | undefined>(undefined);
  const holding = findHolding(attached);
  const waits = asked?.text === text && asked.session === host.session;
  const held = waits || holding?.fault !== undefined ? holding : undefined;
  const send = () => {
    if (text.trim() === '' && attached.length === 0) return;
    if (holding !== undefined) {
      setAsked({ text, session: host.session });
      return;
    }
    setAsked(undefined);
    const chips = attached.map(toAttached);
    host.post({ type: 'send', text: text.trim(), ...(chips.length > 0 && { attached: chips }) });
    draft.clear();
  };
  useEffect(() => {
    if (asked === undefined) return;
    if (!waits) setAsked(undefined);
    else if (holding === undefined) send();
  }, [text, host.session, holding, asked]);
  const hint = held && describe(held, t);
  useEffect(() => {
    if (hint === undefined) return;
    focus.dispatchEvent(new CustomEvent('announce', { detail: { text: hint } }));
  }, [hint, waits]);
  return {
    send,
    hint,
    keep() {
      setAsked(undefined);
      return waits && holding?.reading === true;
    },
  };
}

function describe({ label, fault }: Chip, t: Translate): string {
  return fault === undefined ? t('waitsForAttached', label) : t('notAttached', label, fault);
}

function toAttached({ id, kind, label }: Attached): Attached {
  return { id, kind, label };
}
