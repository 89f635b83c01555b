import { useEffect, useRef, useState } from 'preact/hooks';
import { ARM_DELAY, type Ask, type PermissionAsk } from '../messages/asks.ts';
import { PermissionCard } from './permissionCard.tsx';
import { QuestionCard } from './questionCard.tsx';

/** The pending requests, oldest first, between the transcript and the composer. */
export function AskCards({
  asks,
  focus,
}: {
  readonly asks: readonly Ask[];
  readonly focus: EventTarget;
}) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const reveal = () => box.current?.querySelector<HTMLElement>('[data-ask]')?.focus();
    focus.addEventListener('revealAsk', reveal);
    return () => focus.removeEventListener('revealAsk', reveal);
  }, [focus]);
  return (
    <div class="asks" ref={box}>
      {asks.map((ask) =>
        ask.kind === 'permission' ? (
          <Armed key={ask.id} ask={ask} />
        ) : (
          <QuestionCard key={ask.id} ask={ask} />
        ),
      )}
    </div>
  );
}

function Armed({ ask }: { readonly ask: PermissionAsk }) {
  const [armed, setArmed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setArmed(true), ARM_DELAY);
    return () => clearTimeout(timer);
  }, []);
  return <PermissionCard ask={ask} armed={armed} />;
}
