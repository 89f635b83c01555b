import { useId, useState } from 'preact/hooks';
import { Button, Icon } from './controls/icon.tsx';
import type { ChatState, ContextUsage } from './messages/chatState.ts';
import { useSurroundings } from './state/context.ts';

/**
 * Whether the scripted tour runs, the model unless it can be chosen below, and how much of the context
 * is used. The view's title shows that of the session, so its heading here is for screen readers.
 */
export function ChatHeader({ state }: { readonly state: ChatState }) {
  const { t } = useSurroundings();
  const { header, usage, title, choices } = state;
  const choosable = choices?.some(({ current }) => current?.value === header.model) === true;
  const model = header.tour || choosable ? '' : header.model;
  const used = usage !== undefined && usage.size + usage.used > 0 ? usage : undefined;
  return (
    <header>
      <h1 class="hidden">{title ?? 'Gatehouse'}</h1>
      {(header.tour || model !== '' || used !== undefined) && (
        <div class="header">
          {header.tour && <span class="tag">{t('tour')}</span>}
          {model !== '' && <span class="header-model">{model}</span>}
          {used !== undefined && <Usage usage={used} />}
        </div>
      )}
    </header>
  );
}

/** Percent of the context from which the gauge warns. */
const NEARLY_FULL = 80;

/** How full the context is; the button shows the numbers, and what the session has cost where that is known. */
function Usage({ usage }: { readonly usage: ContextUsage }) {
  const { t } = useSurroundings();
  const [open, setOpen] = useState(false);
  const id = useId();
  const { used, size } = usage;
  const percent = size === 0 ? 0 : Math.round((100 * used) / size);
  const text = describeUsage(usage, percent, t);
  const short = size === 0 ? t('tokens', toShort(used)) : `${toShort(used)} / ${toShort(size)}`;
  return (
    <>
      <button
        type="button"
        class={percent < NEARLY_FULL ? 'header-usage' : 'header-usage full'}
        aria-label={`${short}. ${text}`}
        aria-expanded={open}
        {...(open && { 'aria-controls': id })}
        title={text}
        onClick={() => setOpen(!open)}
      >
        {percent >= NEARLY_FULL && <Icon name="warning" />} {short}
      </button>
      {open && (
        <p class="header-details" id={id}>
          {text}
        </p>
      )}
    </>
  );
}

function describeUsage(
  { used, size, cacheRead, cacheWrite, cost }: ContextUsage,
  percent: number,
  t: ReturnType<typeof useSurroundings>['t'],
): string {
  const whole = (count: number) => new Intl.NumberFormat().format(count);
  const cached = cacheRead !== undefined && cacheWrite !== undefined;
  return [
    size === 0
      ? t('contextUnknown', whole(used))
      : t('contextUsed', whole(used), whole(size), percent),
    ...(cached ? [t('contextCached', whole(cacheRead), whole(cacheWrite))] : []),
    ...(cost ? [t('contextCost', toMoney(cost))] : []),
  ].join(' ');
}

function toShort(tokens: number): string {
  return new Intl.NumberFormat(undefined, {
    notation: 'compact',
    maximumFractionDigits: 1,
  }).format(tokens);
}

/** An agent may report any currency. */
function toMoney({ amount, currency }: NonNullable<ContextUsage['cost']>): string {
  try {
    return new Intl.NumberFormat(undefined, { style: 'currency', currency }).format(amount);
  } catch {
    return `${amount} ${currency}`;
  }
}

/** Conditions that limit the agent, each with an action that resolves it. */
export function Banners({ state }: { readonly state: ChatState }) {
  const { t, host } = useSurroundings();
  const { workspace, header } = state;
  return (
    <aside class="banners">
      {!workspace.trusted && (
        <div class="banner" role="note">
          <span>{t('untrusted')}</span>
          <Button onClick={() => host.post({ type: 'run', command: 'manageTrust' })}>
            {t('manageTrust')}
          </Button>
        </div>
      )}
      {!workspace.folder && (
        <div class="banner" role="note">
          <span>{t('noFolder')}</span>
        </div>
      )}
      {header.model === '' && !header.tour && state.items.length > 0 && (
        <div class="banner" role="note">
          <span>
            {t('noModel')} {t('noModelHint')}
          </span>
          <Button onClick={() => host.post({ type: 'run', command: 'setModel' })}>
            {t('setModel')}
          </Button>
        </div>
      )}
      {workspace.waitingRules > 0 && (
        <div class="banner" role="note">
          <span>{t('waitingRules', workspace.waitingRules)}</span>
          <Button onClick={() => host.post({ type: 'run', command: 'reviewRules' })}>
            {t('reviewRules')}
          </Button>
        </div>
      )}
      {workspace.brokenRules > 0 && (
        <div class="banner warning" role="note">
          <span>{t('brokenRules', workspace.brokenRules)}</span>
          <div class="banner-actions">
            <Button onClick={() => host.post({ type: 'run', command: 'openSettings' })}>
              {t('openSettings')}
            </Button>
            <Button onClick={() => host.post({ type: 'run', command: 'showLog' })}>
              {t('showLog')}
            </Button>
          </div>
        </div>
      )}
    </aside>
  );
}
