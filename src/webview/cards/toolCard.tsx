import { useId } from 'preact/hooks';
import { isHeadOf } from '../../base/text/isHeadOf.ts';
import { Button, Icon, IconButton } from '../controls/icon.tsx';
import { isReviewId, type ToolItem } from '../messages/chatState.ts';
import type { ToolDiff } from '../messages/diff.ts';
import { useOpened, useSurroundings } from '../state/context.ts';
import { useInSubagent } from '../state/subagents.ts';
import { SubagentRows } from '../transcript/subagents/subagentRows.tsx';
import { DiffView } from './diffView.tsx';
import {
  ISOLATION_LABELS,
  isAnswered,
  isDetachable,
  isStoppable,
  kindIcon,
  opensByItself,
  toCallContext,
  toDuration,
  toStatusLabel,
} from './format.ts';
import { useElapsed } from './output/elapsed.ts';
import { Output } from './output/output.tsx';

/** One tool call: a line when collapsed, its diff and output when expanded. */
export function ToolCard({ item }: { readonly item: ToolItem }) {
  const { t, options } = useSurroundings();
  const ranMs = useElapsed(item);
  const [open, setOpen] = useOpened(item.id, opensByItself(item, options.expandTools, ranMs));
  const status = toStatusLabel(item);
  const nested = useInSubagent();
  const Heading = nested ? 'h4' : 'h3';
  const heading = useId();
  return (
    <article
      class={open ? 'item tool open' : 'item tool'}
      data-kind="tool"
      data-status={item.status}
      data-tool-kind={item.toolKind}
      data-id={item.id}
      {...(!nested && { 'data-vscode-context': toCallContext(item.id) })}
      tabIndex={-1}
      aria-labelledby={heading}
    >
      <div class="tool-line">
        <Heading class="tool-title" id={heading}>
          <button
            type="button"
            class="tool-toggle"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          >
            <span class="tool-head">
              <Icon name={open ? 'chevron-down' : 'chevron-right'} />
              <Icon name={item.questions === undefined ? kindIcon(item.toolKind) : 'question'} />
              <span class="tool-name" title={item.title}>
                {item.title}
              </span>
            </span>
            <span class="tool-facts">
              <Counts diffs={item.diffs} />
              {ranMs !== undefined && item.toolKind === 'execute' && (
                <span class="tool-time">{toDuration(ranMs)}</span>
              )}
              <span class={`tool-status status-${status.icon}`}>
                <Icon name={status.icon} spin={item.status === 'in_progress'} />
                <span>{t(status.label, status.value ?? '')}</span>
              </span>
            </span>
          </button>
        </Heading>
        {!nested && <LineButtons item={item} />}
      </div>
      {item.command !== undefined && showsCommand(item.title, item.command, open) && (
        <code class="tool-command" title={item.command}>
          {item.command}
        </code>
      )}
      <Answers item={item} />
      {open && <Body item={item} />}
    </article>
  );
}

/** The buttons and marks beside a card's title. */
function LineButtons({ item }: { readonly item: ToolItem }) {
  const { t, host } = useSurroundings();
  return (
    <>
      {item.rule !== undefined && (
        <IconButton
          name="shield"
          label={t(getRuleKey(item.rule), item.rule)}
          onClick={() => host.post({ type: 'showRule', itemId: item.id })}
        />
      )}
      {item.allowedByUser && (
        <span class="allowed-by-user" title={t('allowedByYou')}>
          <Icon name="pass" />
          <span class="hidden">{t('allowedByYou')}</span>
        </span>
      )}
      {isStoppable(item) && (
        <IconButton
          name="debug-stop"
          label={t('stopCommand')}
          onClick={() => host.post({ type: 'stopCommand', itemId: item.id })}
        />
      )}
      {isDetachable(item) && (
        <IconButton
          name="server-process"
          label={t('continueInBackground')}
          onClick={() => host.post({ type: 'continueInBackground', itemId: item.id })}
        />
      )}
      {item.terminals.map((terminalId) => (
        <IconButton
          key={terminalId}
          name="link-external"
          label={t('showTerminal')}
          onClick={() => host.post({ type: 'showTerminal', terminalId })}
        />
      ))}
    </>
  );
}

/** What the user was asked and answered: shown even when the card is collapsed. */
function Answers({ item }: { readonly item: ToolItem }) {
  const { t } = useSurroundings();
  if (!isAnswered(item)) return null;
  return (
    <dl class="given-answers">
      {item.questions?.map(({ question, answers = [] }) => (
        <div key={question}>
          <dt>{question}</dt>
          {answers.length === 0 ? (
            <dd class="dim">{t('skipped')}</dd>
          ) : (
            answers.map((answer) => <dd key={answer}>{answer}</dd>)
          )}
        </div>
      ))}
    </dl>
  );
}

/** A collapsed card omits a command that begins with the title. */
function showsCommand(title: string, command: string, open: boolean): boolean {
  return title !== command && (open || !isHeadOf(title, command));
}

function Counts({ diffs }: { readonly diffs: readonly ToolDiff[] }) {
  if (diffs.every(({ document }) => document)) return null;
  const added = diffs.reduce((sum, diff) => sum + diff.added, 0);
  const removed = diffs.reduce((sum, diff) => sum + diff.removed, 0);
  return (
    <span class="counts">
      <span class="added">+{added}</span> <span class="removed">−{removed}</span>
    </span>
  );
}

function Body({ item }: { readonly item: ToolItem }) {
  const { t, host } = useSurroundings();
  const nested = useInSubagent();
  return (
    <div class="tool-body">
      {item.subagent !== undefined && <SubagentRows id={item.subagent} title={item.title} />}
      {item.diffs.map((diff, index) => (
        <DiffView
          key={diff.path}
          diff={diff}
          onOpen={() => host.post({ type: 'showDiff', itemId: item.id, index })}
        />
      ))}
      {showsOutput(item) && <Output item={item} />}
      {item.toolKind === 'execute' && item.status === 'completed' && item.output === '' && (
        <p class="dim">{t('printedNothing')}</p>
      )}
      {isRevertable(item) && (
        <p class="buttons">
          <Button onClick={() => host.post({ type: 'revert', itemId: item.id })}>
            {t(item.toolKind === 'execute' && !item.revertable ? 'restore' : 'revert')}
          </Button>
        </p>
      )}
      {item.diffs.length === 0 && <Locations item={item} />}
      {item.isolation !== undefined && item.status !== 'denied' && !isCopyRule(item.rule) && (
        <p class="dim isolation">{t(ISOLATION_LABELS[item.isolation])}</p>
      )}
      {item.allowedByUser && (
        <p class="dim">
          <Icon name="pass" /> {t('allowedByYou')}
        </p>
      )}
      {item.rule !== undefined && !nested && (
        <button
          type="button"
          class="link"
          onClick={() => host.post({ type: 'showRule', itemId: item.id })}
        >
          <Icon name="check" />
          {t(getRuleKey(item.rule), item.rule)}
        </button>
      )}
    </div>
  );
}

/** What a subagent answered is the last of its rows; why it was stopped is none of them. */
function showsOutput(item: ToolItem): boolean {
  const isShown = item.subagent !== undefined && item.status !== 'failed';
  return item.output !== '' && !isAnswered(item) && !isShown;
}

/** A rule about copies let the command run in one; it allowed none of the changes. */
function getRuleKey(rule: string): 'approvedByRule' | 'copiedByRule' {
  return isCopyRule(rule) ? 'copiedByRule' : 'approvedByRule';
}

/** Its label already says where the command ran. */
function isCopyRule(rule: string | undefined): boolean {
  return rule?.startsWith('copy(') === true;
}

/**
 * Only edits of the host, and what commands did to protected files, are kept. A failed command changed
 * them too. The changes of a review belong to the calls that made them.
 */
function isRevertable({ id, toolKind, status, diffs, revertable }: ToolItem): boolean {
  if ((diffs.length === 0 && !revertable) || isReviewId(id)) return false;
  if (toolKind === 'execute') return status === 'completed' || status === 'failed';
  return toolKind === 'edit' && status === 'completed';
}

function Locations({ item }: { readonly item: ToolItem }) {
  const { host } = useSurroundings();
  return (
    <>
      {item.locations.map(({ path, label, line }) => (
        <button
          key={`${path}:${line}`}
          type="button"
          class="link"
          title={path}
          onClick={() =>
            host.post({ type: 'openLocation', path, ...(line !== undefined && { line }) })
          }
        >
          {label}
          {line === undefined ? '' : `:${line}`}
        </button>
      ))}
    </>
  );
}
