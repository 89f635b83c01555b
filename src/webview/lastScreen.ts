import { handOver, layOut, startPage } from './screen/handOver.ts';

/** Stands in the page after the screen that was kept, and before the page's own script, which it starts. */
const kept = document.querySelector<HTMLElement>('body > .kept');
const root = document.getElementById('root');
if (kept !== null && root !== null) {
  layOut(kept);
  handOver(kept, root);
}
startPage();
