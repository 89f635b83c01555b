import type { ComponentChildren } from 'preact';
import type { IconName } from './icons.ts';

/** A codicon, hidden from screen readers; the text beside it or its button's label is read. */
export function Icon({ name, spin = false }: { readonly name: IconName; readonly spin?: boolean }) {
  const classes = `codicon codicon-${name}${spin ? ' codicon-modifier-spin' : ''}`;
  return <span class={classes} aria-hidden="true" />;
}

export interface ButtonProps {
  readonly onClick: () => void;
  readonly children: ComponentChildren;
  readonly primary?: boolean;
  readonly disabled?: boolean;
  readonly label?: string;
  readonly expanded?: boolean;
  readonly title?: string;
}

/**
 * A disabled button keeps the keyboard focus, because it may be disabled for a moment only: a request
 * can't be answered while something moves.
 */
export function Button(props: ButtonProps) {
  const { onClick, children, primary, disabled, label, expanded, title } = props;
  return (
    <button
      type="button"
      class={primary ? 'button primary' : 'button'}
      aria-disabled={disabled ?? false}
      onClick={() => !disabled && onClick()}
      aria-label={label}
      aria-expanded={expanded}
      title={title}
    >
      {children}
    </button>
  );
}

/** A button that shows only an icon, with an accessible name. */
export function IconButton({
  name,
  label,
  onClick,
}: {
  readonly name: IconName;
  readonly label: string;
  readonly onClick: () => void;
}) {
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} onClick={onClick}>
      <Icon name={name} />
    </button>
  );
}
