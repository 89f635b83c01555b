import type { ModelValues } from './modelSetup.ts';

/**
 * The settings of a model in the order in which they are written, one after the other. Meanwhile no provider's key
 * belongs to the address of another one, also if a later one can't be written.
 */
export function toWrites(
  values: ModelValues,
  read: (key: keyof ModelValues) => string,
): readonly (readonly [key: keyof ModelValues, value: string])[] {
  const address = ['model.baseUrl', values['model.baseUrl']] as const;
  const isSame = read('model.provider') === values['model.provider'];
  const hasAddress = read('model.baseUrl') !== '' || address[1] !== '';
  return [
    ...(!isSame && hasAddress ? [['model.baseUrl', ''] as const] : []),
    ['model.provider', values['model.provider']],
    ['model.id', values['model.id']],
    address,
  ];
}
