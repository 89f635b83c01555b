import type { ToWebview } from '../messages/messages.ts';

/** Milliseconds until the page's script runs although nothing was painted: the view may be hidden. */
const UNPAINTED = 100;
/** Milliseconds that the live rows get for their colors and for what is loaded after them. */
const COMPLETING = 1_500;
/** Milliseconds after which the kept screen goes whatever was sent. */
const LONGEST = 15_000;
/** Frames in which nothing moved, after which the live rows have their place. */
const STEADY = 2;

/** Gives the kept screen the sizes and positions that the page noted; a policy refuses them in its HTML. */
export function layOut(kept: HTMLElement): void {
  const set = (name: string, use: (element: HTMLElement, value: number) => void) => {
    for (const element of kept.querySelectorAll<HTMLElement>(`[data-${name}]`)) {
      use(element, Number(element.dataset[name]));
    }
  };
  set('above', ({ style }, value) => style.setProperty('padding-top', `${value}px`));
  set('below', ({ style }, value) => style.setProperty('padding-bottom', `${value}px`));
  set('height', ({ style }, value) => style.setProperty('height', `${value}px`));
  // Right before the first painting: to scroll earlier would lay the page out while the editor waits for it.
  requestAnimationFrame(() => set('top', (element, value) => element.scrollTo({ top: value })));
}

/**
 * Runs the page's script after the kept screen has been painted. What comes for it before is given to it then.
 */
export function startPage(): void {
  const source = document.querySelector<HTMLScriptElement>('script[data-folder]');
  if (source === null) return;
  const early: unknown[] = [];
  const keep = ({ data }: MessageEvent) => early.push(data);
  window.addEventListener('message', keep);
  let started = false;
  const run = () => {
    if (started) return;
    started = true;
    clearTimeout(unpainted);
    window.removeEventListener('message', keep);
    const script = document.createElement('script');
    script.nonce = source.nonce;
    script.dataset['folder'] = source.dataset['folder'];
    script.text = source.text;
    source.replaceWith(script);
    for (const data of early) window.dispatchEvent(new MessageEvent('message', { data }));
  };
  const unpainted = setTimeout(run, UNPAINTED);
  requestAnimationFrame(() => setTimeout(run));
}

/**
 * Shows the kept screen until the live one has the same place under it. The live input is there as soon as it is
 * drawn. A key, a click or a turn of the wheel ends the wait, and so does another session.
 */
export function handOver(kept: HTMLElement, root: HTMLElement): void {
  const sizes = new ResizeObserver(() => alignInput(kept, root));
  let loading = false;
  let complete = 0;
  const finish = () => {
    window.removeEventListener('message', receive);
    changes.disconnect();
    sizes.disconnect();
    clearTimeout(longest);
    clearTimeout(complete);
    for (const name of ENDS) window.removeEventListener(name, end, true);
    kept.remove();
    document.querySelector('.kept-start')?.remove();
    root.querySelector<HTMLElement>('.composer')?.style.removeProperty('min-height');
  };
  const end = () => hasRows(root) && finish();
  const longest = setTimeout(finish, LONGEST);
  const receive = ({ data }: MessageEvent<ToWebview>) => {
    if (data.type !== 'snapshot' && data.type !== 'changes') return;
    if (data.session !== kept.dataset['session']) return finish();
    const activity = findActivity(data);
    if (activity === 'starting') loading = true;
    // It was loaded, or failed to, and has nothing to show.
    else if (activity !== undefined && loading)
      requestAnimationFrame(() => hasRows(root) || finish());
  };
  const changes = new MutationObserver(() => {
    const box = root.querySelector('.composer-box');
    if (box !== null && !kept.classList.contains('composing')) {
      kept.classList.add('composing');
      alignInput(kept, root);
      sizes.observe(box);
    }
    if (!hasRows(root)) return;
    changes.disconnect();
    complete = window.setTimeout(finish, COMPLETING);
    whenSteady(kept, root, finish);
  });
  window.addEventListener('message', receive);
  for (const name of ENDS) window.addEventListener(name, end, { capture: true, passive: true });
  changes.observe(root, { childList: true, subtree: true });
}

const ENDS = ['pointerdown', 'wheel', 'keydown'] as const;

/** Whether something of the session is drawn, and not only what its agent does. */
function hasRows(root: ParentNode): boolean {
  return root.querySelector('.row-box > .item') !== null;
}

function findActivity(data: Extract<ToWebview, { type: 'snapshot' | 'changes' }>) {
  if (data.type === 'snapshot') return data.state.activity;
  const last = data.changes.findLast((change) => {
    return change.type === 'reset' || (change.type === 'set' && 'activity' in change.values);
  });
  if (last?.type === 'reset') return last.state.activity;
  return last?.type === 'set' ? last.values.activity : undefined;
}

/** Both inputs take the same room, so that neither what is above nor what is below moves. */
function alignInput(kept: HTMLElement, root: HTMLElement): void {
  const [own, live] = [kept, root].map((each) => each.querySelector<HTMLElement>('.composer-box'));
  const wanted = `${live?.offsetHeight ?? 0}px`;
  if (!own || !live || own.style.height === wanted) return;
  own.style.height = wanted;
  const height = own.parentElement?.offsetHeight ?? 0;
  live.parentElement?.style.setProperty('min-height', `${height}px`);
}

/** Calls back once nothing has moved for some frames, and all that the kept screen has is there. */
function whenSteady(kept: HTMLElement, root: HTMLElement, then: () => void): void {
  let last = '';
  let same = 0;
  const look = () => {
    if (!kept.isConnected) return;
    const row = [...root.querySelectorAll('.row-box')].at(-1)?.getBoundingClientRect();
    const now = `${row?.top} ${row?.bottom} ${root.querySelector('.transcript')?.scrollTop}`;
    same = now === last ? same + 1 : 0;
    last = now;
    if (same >= STEADY && isComplete(kept, root)) then();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** A request is shown at once, whatever is missing. */
function isComplete(kept: HTMLElement, root: HTMLElement): boolean {
  if (root.querySelector('[data-ask]') !== null) return true;
  const parts = (from: HTMLElement) => from.querySelectorAll('.chat > *').length;
  return parts(root) >= parts(kept) && countColored(root) >= countColored(kept);
}

/** The texts in view that are in color. */
function countColored(from: HTMLElement): number {
  const top = from.querySelector('.transcript')?.getBoundingClientRect().top ?? 0;
  const texts = [...from.querySelectorAll('.row-box :is(.code code, .output):has(> span)')];
  return texts.filter((each) => each.getBoundingClientRect().bottom > top).length;
}
