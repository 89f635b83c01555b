import { useId, useMemo, useRef } from 'preact/hooks';
import { IconButton } from '../controls/icon.tsx';
import { type Block, EMPTY_SPLIT, type Split, splitBlocks } from '../markdown/blocks.ts';
import { CodeBlock } from '../markdown/codeBlock.tsx';
import { LONGEST_PARSED } from '../markdown/markdown.ts';
import { memo } from '../markdown/memo.ts';
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
      {user ? <Plain text={item.text} /> : <Markdown item={item} />}
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

function Plain({ text }: { readonly text: string }) {
  return (
    <div class="plain" dir="auto">
      {text}
    </div>
  );
}

/** The begin of a message, as the heading of its turn. */
export function toHeading(text: string): string {
  const line = text.trimStart().split('\n', 1)[0] ?? '';
  return line.length > HEADING ? `${line.slice(0, HEADING)}…` : line;
}

/** The blocks of finished messages, which may be drawn again when they come into view. */
const finished = new WeakMap<TextItem, Split>();

/** Renders finished blocks once and the last block again while it grows. */
function Markdown({ item }: { readonly item: TextItem }) {
  const split = useRef(finished.get(item) ?? EMPTY_SPLIT);
  const next = splitBlocks(item.text, split.current, item.done);
  split.current = next.split;
  if (item.done) finished.set(item, next.split);
  return (
    <div class="markdown">
      {next.split.blocks.map((block, index) => (
        <BlockView key={index} block={block} />
      ))}
      {next.open !== undefined && <BlockView key={next.split.blocks.length} block={next.open} />}
    </div>
  );
}

/** A block that is finished keeps its identity, and is not drawn again. */
const BlockView = memo(function BlockView({ block }: { readonly block: Block }) {
  const { render } = useSurroundings();
  const { text, type } = block;
  const long = text.length > LONGEST_PARSED;
  const html = useMemo(() => (type === 'code' || long ? '' : render(text)), [text, type, render]);
  if (type === 'code') return <CodeBlock block={block} />;
  if (long) return <Plain text={text} />;
  return <div dangerouslySetInnerHTML={{ __html: html }} />;
});
