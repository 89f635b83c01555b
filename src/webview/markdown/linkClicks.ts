/** Whether a click on a link follows it: with the main button or the middle one, not to open a menu. */
export function followsLink({ type, button }: Pick<MouseEvent, 'type' | 'button'>): boolean {
  return type === 'click' || button === 1;
}
