import { useId } from 'preact/hooks';
import { IconButton } from '../controls/icon.tsx';
import { Markdown, Plain } from '../markdown/document.tsx';
import type { TextItem } from '../messages/chatState.ts';
import { useOpened, useSurroundings } from '../state/context.ts';
import { useInSubagent } from '../state/subagents.ts';

/** Characters of a message that its turn's heading shows. */
const HEADING = 80;

/** A message from the user or the agent, or the model's reasoning, which starts collapsed. */
export function Message({ item }: { readonly item: TextItem }) {
  const { t } = useSurroundings();
  const heading = useId();
  const nested = useInSubagent();
  if (item.kind === 'thought') return <Thought item={item} />;
  const user = item.kind === 'user';
  const UserHeading = nested ? 'h4' : 'h2';
  const SpeakerHeading = nested ? 'h4' : 'h3';
  return (
    <article
      class={`item ${item.kind}`}
      data-kind={item.kind}
      {...(!nested && { 'data-vscode-context': toContext(item) })}
      tabIndex={-1}
      aria-labelledby={heading}
    >
      {user ? (
        // A turn begins here, so its heading says what it is about.
        <UserHeading class="hidden" id={heading}>
          {t(nested ? 'subagentTask' : 'userSaid', toHeading(item.text))}
        </UserHeading>
      ) : (
        <SpeakerHeading class="speaker" id={heading}>
          {t('agent')}
        </SpeakerHeading>
      )}
      {user ? <Plain text={item.text} /> : <Markdown of={item} text={item.text} done={item.done} />}
      {item.cut !== undefined && <p class="dim">{t('cutMessage', item.cut)}</p>}
      {user && !nested && <MessageActions itemId={item.id} />}
    </article>
  );
}

function toContext({ id, kind }: TextItem): string {
  return JSON.stringify({ webviewSection: 'message', messageId: id, messageKind: kind });
}

/** They show when the pointer or the focus is at the message. */
function MessageActions({ itemId }: { readonly itemId: string }) {
  const { t, host } = useSurroundings();
  return (
    <div class="message-actions">
      <IconButton
        name="edit"
        label={t('editMessage')}
        onClick={() => host.post({ type: 'editMessage', itemId })}
      />
      <IconButton
        name="repo-forked"
        label={t('forkMessage')}
        onClick={() => host.post({ type: 'forkMessage', itemId })}
      />
    </div>
  );
}

function Thought({ item }: { readonly item: TextItem }) {
  const { t } = useSurroundings();
  const [open, setOpen] = useOpened(item.id, false);
  const Heading = useInSubagent() ? 'h4' : 'h3';
  const heading = useId();
  return (
    <article class="item thought" data-kind="thought" tabIndex={-1} aria-labelledby={heading}>
      <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <Heading id={heading}>{t('thought')}</Heading>
        </summary>
        {open && <Plain text={item.text} />}
      </details>
    </article>
  );
}

/** The begin of a message, as the heading of its turn. */
export function toHeading(text: string): string {
  const line = text.trimStart().split('\n', 1)[0] ?? '';
  return line.length > HEADING ? `${line.slice(0, HEADING)}…` : line;
}
