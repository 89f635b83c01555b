import { useId } from 'preact/hooks';
import { Icon, IconButton } from '../controls/icon.tsx';
import { Markdown, Plain } from '../markdown/document.tsx';
import { type AttachedName, splitAttached } from '../messages/attachedNames.ts';
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
  const { words, attached } = user ? splitAttached(item.text) : { words: item.text, attached: [] };
  const speaker = t(nested ? 'subagent' : 'agent');
  const UserHeading = nested ? 'h4' : 'h2';
  const SpeakerHeading = nested ? 'h4' : 'h3';
  return (
    <article
      class={`item ${item.kind}`}
      data-kind={item.kind}
      {...(!nested && { 'data-vscode-context': toContext(item) })}
      tabIndex={-1}
      {...(user || !item.done
        ? { 'aria-labelledby': heading }
        : { 'aria-label': t('said', speaker, toHeading(withoutMarks(words))) })}
    >
      {user ? (
        // A turn begins here, so its heading says what it is about.
        <UserHeading class="hidden" id={heading}>
          {t(nested ? 'subagentTask' : 'userSaid', toHeading(words || (attached[0]?.name ?? '')))}
        </UserHeading>
      ) : (
        <SpeakerHeading class="speaker" id={heading}>
          {speaker}
        </SpeakerHeading>
      )}
      {user ? <Plain text={words} /> : <Markdown of={item} text={words} done={item.done} />}
      {attached.length > 0 && <AttachedNames attached={attached} />}
      {item.cut !== undefined && <p class="dim">{t('cutMessage', item.cut)}</p>}
      {user && !nested && <MessageActions itemId={item.id} />}
    </article>
  );
}

/** Like the chips of the composer, but nothing removes them. */
function AttachedNames({ attached }: { readonly attached: readonly AttachedName[] }) {
  const { t } = useSurroundings();
  return (
    <ul class="chips sent" aria-label={t('attached')}>
      {attached.map(({ icon, name, href }, index) => (
        <li key={index} class="chip">
          <Icon name={icon} />
          <span dir="auto">{href === undefined ? name : <a href={href}>{name}</a>}</span>
        </li>
      ))}
    </ul>
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

/** The begin of an answer without the marks of Markdown, which a screen reader would spell. */
function withoutMarks(text: string): string {
  return text.slice(0, 2 * HEADING).replace(/[*_`#>]+/g, '');
}

/** The begin of a message, as the heading of its turn. */
export function toHeading(text: string): string {
  const line = text.trimStart().split('\n', 1)[0] ?? '';
  return line.length > HEADING ? `${line.slice(0, HEADING)}…` : line;
}
