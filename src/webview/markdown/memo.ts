import { Component, type ComponentChild, h } from 'preact';

/** Renders again only when a property changed by identity, like React's `memo`. */
export function memo<Props extends object>(view: (props: Props) => ComponentChild) {
  return class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Readonly<Props>): boolean {
      const before: object = this.props;
      return Object.entries(next).some(([key, value]) => Reflect.get(before, key) !== value);
    }

    override render(props: Props): ComponentChild {
      return h(view, props);
    }
  };
}
