import { Icon } from '../controls/icon.tsx';
import type { IconName } from '../controls/icons.ts';
import { Scrolled } from '../controls/scrolled.tsx';
import { Sentence } from '../controls/sentence.tsx';
import { findRisks, findSelectedParts, RISK_LABELS } from '../messages/askActions.ts';
import type { AskPart, PermissionAsk } from '../messages/asks.ts';
import type { StringKey } from '../messages/stringKeys.ts';
import { useSurroundings } from '../state/context.ts';
import { DiffView } from './diffView.tsx';
import { getTail, ISOLATION_LABELS, kindIcon, listedParts } from './format.ts';

/** What a request is about: the changes or the whole command, its parts, its risks and why it asks. */
export function AskSubject({ ask: whole }: { readonly ask: PermissionAsk }) {
  const { t } = useSurroundings();
  const ask = { ...whole, parts: findSelectedParts(whole) };
  const parts = listedParts(ask);
  // What a command did in a copy begins with where these changes are.
  const isOfCopy = ask.isolation === 'copy' && ask.why !== '';
  return (
    <>
      {isOfCopy && <Why ask={ask} />}
      {ask.diffs.length > 0 ? <Changes ask={ask} /> : !ask.entries && <Subject ask={ask} />}
      <AskEntries ask={ask} />
      {ask.suspicious && (
        <p class="warning">
          <Icon name="warning" /> {t('hidden')}
        </p>
      )}
      {ask.isolation !== undefined && !isOfCopy && (
        <p class="dim isolation">{t(ISOLATION_LABELS[ask.isolation])}</p>
      )}
      {parts.length > 0 ? <Parts parts={parts} /> : <Risks ask={ask} />}
      {!isOfCopy && !isSaid(ask, parts) && <Why ask={ask} />}
      {ask.near !== undefined && <Near askId={ask.id} text={ask.near.text} />}
    </>
  );
}

function Why({ ask }: { readonly ask: PermissionAsk }) {
  const { t, host } = useSurroundings();
  return (
    <p class="dim">
      <Sentence text={t('why', ask.why)} />{' '}
      {ask.whyRule !== undefined && (
        <button
          type="button"
          class="link inline"
          onClick={() => host.post({ type: 'openRule', askId: ask.id })}
        >
          {t('goToRule')}
        </button>
      )}
    </p>
  );
}

/** Why the user is asked although they have a rule. */
function Near({ askId, text }: { readonly askId: string; readonly text: string }) {
  const { t, host } = useSurroundings();
  return (
    <p class="dim near">
      <Sentence text={t('askedAgain', text)} />{' '}
      <button
        type="button"
        class="link inline"
        onClick={() => host.post({ type: 'openRule', askId, near: true })}
      >
        {t('goToRule')}
      </button>
    </p>
  );
}

/** With several parts, the reason is beside the part that asks. */
function isSaid({ why, whyRule }: PermissionAsk, parts: readonly AskPart[]): boolean {
  if (why === '') return true;
  return whyRule === undefined && parts.some(({ reason }) => reason === why);
}

function Changes({ ask }: { readonly ask: PermissionAsk }) {
  const { host } = useSurroundings();
  return (
    <>
      {ask.diffs.map((diff, index) => (
        <DiffView
          key={diff.path}
          diff={diff}
          onOpen={() => host.post({ type: 'showDiff', itemId: ask.toolCallId, index })}
        />
      ))}
    </>
  );
}

/** The proposed changes that no diff shows. A cleared check box leaves one out, on every surface. */
function AskEntries({ ask }: { readonly ask: PermissionAsk }) {
  const { t, host } = useSurroundings();
  const { entries = [] } = ask;
  if (entries.length === 0) return null;
  return (
    <fieldset class="entries">
      <legend>{t('otherChanges')}</legend>
      {entries.map(({ id, text, kept }) => (
        <label key={id}>
          <input
            type="checkbox"
            checked={kept}
            onChange={({ currentTarget: { checked } }) =>
              host.post({ type: 'keepEntry', askId: ask.id, entryId: id, keep: checked })
            }
          />
          <span>
            <Sentence text={text} />
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** The complete subject of the request. For a long one, its length and end are always visible. */
function Subject({ ask }: { readonly ask: PermissionAsk }) {
  const { t } = useSurroundings();
  const tail = getTail(ask.subject);
  return (
    <>
      <div class="subject">
        <Icon name={kindIcon(ask.toolKind)} />
        <Scrolled>{ask.subject}</Scrolled>
      </div>
      {ask.cwd !== undefined && <p class="dim cwd">{t('cwd', ask.cwd)}</p>}
      {tail !== undefined && (
        <p class="dim">
          {t('characters', ask.length)} · … <code>{tail}</code>
        </p>
      )}
    </>
  );
}

const DECISIONS: Readonly<
  Record<AskPart['decision'], { readonly icon: IconName; readonly label: StringKey }>
> = {
  allow: { icon: 'check', label: 'partAllow' },
  ask: { icon: 'question', label: 'partAsk' },
  deny: { icon: 'circle-slash', label: 'partDeny' },
};

/** Each part of a command with its own decision; the reason is given for parts that aren't allowed. */
function Parts({ parts }: { readonly parts: readonly AskPart[] }) {
  const { t } = useSurroundings();
  return (
    <ul class="parts" aria-label={t('parts')}>
      {parts.map(({ text, decision, reason, risk }) => (
        <li
          key={`${text} ${decision} ${risk}`}
          class={risk === undefined ? '' : 'warning'}
          data-decision={decision}
        >
          <span class={risk === undefined ? 'part-icon' : 'part-icon risky'}>
            <Icon name={risk === undefined ? DECISIONS[decision].icon : 'warning'} />
          </span>
          <div>
            <code class="part-text">{text}</code>{' '}
            <span class="decision">{t(DECISIONS[decision].label)}</span>
            {risk !== undefined && <p>{t(RISK_LABELS[risk])}</p>}
            {decision !== 'allow' && reason !== undefined && (
              <p class="dim">
                <Sentence text={reason} />
              </p>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}

function Risks({ ask }: { readonly ask: PermissionAsk }) {
  const { t } = useSurroundings();
  const risks = findRisks(ask);
  if (risks.length === 0) return null;
  return (
    <ul class="risks">
      {risks.map(({ text, risk }) => (
        <li key={`${risk} ${text}`} class="warning">
          <span class="part-icon risky">
            <Icon name="warning" />
          </span>
          <span>
            {t(RISK_LABELS[risk])}: <code class="part-text">{text}</code>
          </span>
        </li>
      ))}
    </ul>
  );
}
