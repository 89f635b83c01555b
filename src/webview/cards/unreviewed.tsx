import { Button } from '../controls/icon.tsx';
import { Sentence } from '../controls/sentence.tsx';
import type { UnreviewedItem } from '../messages/chatState.ts';
import { useSurroundings } from '../state/context.ts';

/** The files whose changes are on disk and await a review. */
export function Unreviewed({ files }: { readonly files: readonly UnreviewedItem[] }) {
  const { t, host } = useSurroundings();
  if (files.length === 0) return null;
  const total = (pick: 'added' | 'removed') => files.reduce((sum, file) => sum + file[pick], 0);
  const run = (command: 'reviewChanges' | 'keepAllChanges' | 'undoAllChanges') => () =>
    host.post({ type: 'run', command });
  return (
    <section class="unreviewed" aria-label={t('unreviewed')}>
      <details>
        <summary>
          <h2 class="plan-title">{t('unreviewed')}</h2> <span class="dim">{files.length}</span>{' '}
          <Size added={total('added')} removed={total('removed')} />
        </summary>
        <ul>
          {files.map((file) => (
            <li key={file.path}>
              <File file={file} /> <Change file={file} />
            </li>
          ))}
        </ul>
      </details>
      <div class="actions">
        <Button onClick={run('reviewChanges')}>{t('reviewChanges')}</Button>
        <Button onClick={run('keepAllChanges')}>{t('keepAll')}</Button>
        <Button onClick={run('undoAllChanges')}>{t('undoAll')}</Button>
      </div>
    </section>
  );
}

function File({ file: { path, label, kind } }: { readonly file: UnreviewedItem }) {
  const { host } = useSurroundings();
  if (kind === 'deleted') return <del class="unreviewed-file">{label}</del>;
  return (
    <button
      type="button"
      class="link unreviewed-file"
      onClick={() => host.post({ type: 'openLocation', path })}
    >
      {label}
    </button>
  );
}

/** The lines of its text, and what else changed. */
function Change({ file: { added, removed, entry } }: { readonly file: UnreviewedItem }) {
  if (entry === undefined) return <Size added={added} removed={removed} />;
  return (
    <>
      {added + removed > 0 && <Size added={added} removed={removed} />}{' '}
      <span class="dim">
        <Sentence text={entry} />
      </span>
    </>
  );
}

function Size({ added, removed }: Pick<UnreviewedItem, 'added' | 'removed'>) {
  return (
    <span class="counts">
      <span class="added">+{added}</span> <span class="removed">−{removed}</span>
    </span>
  );
}
