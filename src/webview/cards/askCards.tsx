import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '../controls/icon.tsx';
import type { Ask } from '../messages/asks.ts';
import type { ChatState } from '../messages/chatState.ts';
import { useSurroundings } from '../state/context.ts';
import { useArmed } from './armed.ts';
import { PermissionCard } from './permissionCard.tsx';
import { QuestionCard } from './questionCard.tsx';

/** The current request, between the transcript and the composer. */
export function AskCards({
  asks,
  request,
  focus,
}: Pick<ChatState, 'asks' | 'request'> & { readonly focus: EventTarget }) {
  const box = useRef<HTMLDivElement>(null);
  const current = asks.find(({ id }) => id === request?.askId);
  const armed = useArmed(box, current?.id);
  useReveal(box, focus);
  useKeptFocus(box, current?.id);
  return (
    <div class="asks" ref={box}>
      {request !== null && <Position request={request} here={current !== undefined} />}
      {current !== undefined && <Card key={current.id} ask={current} armed={armed} />}
    </div>
  );
}

function Card({ ask, armed }: { readonly ask: Ask; readonly armed: boolean }) {
  return ask.kind === 'permission' ? (
    <PermissionCard ask={ask} armed={armed} />
  ) : (
    <QuestionCard ask={ask} armed={armed} />
  );
}

/** Which of the window's requests is current, and who asks. It may belong to another session. */
function Position({
  request,
  here,
}: {
  readonly request: NonNullable<ChatState['request']>;
  readonly here: boolean;
}) {
  const { t, host } = useSurroundings();
  const { position, total, agent, session } = request;
  const source = [agent, session].filter((part) => part !== '').join(' · ');
  return (
    <section class="request" aria-label={t('currentRequest')}>
      <span class="request-source">
        {total > 1 && <span class="request-number">{t('position', position, total)}</span>}
        {total > 1 && source !== '' && ' · '}
        {source}
      </span>
      {!here && (
        <Button onClick={() => host.post({ type: 'showRequest' })}>{t('showRequest')}</Button>
      )}
      {total > 1 && (
        <Button onClick={() => host.post({ type: 'nextRequest' })}>{t('nextRequest')}</Button>
      )}
    </section>
  );
}

type Box = { readonly current: HTMLElement | null };

/** Focuses the card when the user asks for it. */
function useReveal(box: Box, focus: EventTarget): void {
  useEffect(() => {
    const reveal = () => getCard(box)?.focus();
    focus.addEventListener('revealAsk', reveal);
    return () => focus.removeEventListener('revealAsk', reveal);
  }, [focus]);
}

/** Keeps the keyboard focus when the focused card is answered: on the next card, else the composer. */
function useKeptFocus(box: Box, id: string | undefined): void {
  const had = box.current?.contains(document.activeElement) === true;
  useLayoutEffect(() => {
    if (!had || box.current?.contains(document.activeElement)) return;
    const next = getCard(box) ?? document.querySelector<HTMLElement>('.composer textarea');
    next?.focus();
  }, [id]);
}

function getCard(box: Box): HTMLElement | null | undefined {
  return box.current?.querySelector<HTMLElement>('[data-ask]');
}
