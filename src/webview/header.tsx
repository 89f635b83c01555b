import { Button } from './controls/icon.tsx';
import type { ChatState } from './messages/chatState.ts';
import { useSurroundings } from './state/context.ts';

/** The model, whether the scripted tour runs, and how much of the context is used. */
export function ChatHeader({ state }: { readonly state: ChatState }) {
  const { t } = useSurroundings();
  const { header, usage, title } = state;
  return (
    <header class="header">
      <h1 class="header-title">{title ?? 'Gatehouse'}</h1>
      {header.tour && <span class="tag">{t('tour')}</span>}
      {header.model !== '' && !header.tour && <span class="header-model">{header.model}</span>}
      {usage !== undefined && usage.size > 0 && (
        <span class="header-usage" title={`${usage.used} / ${usage.size}`}>
          {Math.round((100 * usage.used) / usage.size)} %
        </span>
      )}
    </header>
  );
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
      {header.model === '' && !header.tour && (
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
