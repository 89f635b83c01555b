/**
 * What the page needs only after it has shown something: a script of its own, which it loads then. It uses
 * the page's modules that `shared.ts` names, and has copies of the others.
 */
export { AskCards } from './cards/askCards.tsx';
export { RetryLine } from './cards/notes.tsx';
export { Plan } from './cards/plan.tsx';
export { Unreviewed } from './cards/unreviewed.tsx';
export { Queue } from './composer/queue.tsx';
export { toPlainText } from './markdown/plainText.ts';
export { findDenial } from './messages/askActions.ts';
export { keepScreens } from './screen/watchScreen.ts';
export { showAlert } from './state/alert.ts';
export { OpenBar } from './transcript/openBar.tsx';
