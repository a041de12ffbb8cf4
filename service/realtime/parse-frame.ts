import { ContractError } from '../errors.ts';
import { parseJson } from '../json.ts';

/** Parses a text frame; throws `ErrInvalidRequest` for anything but an object with a type. */
export const parseFrame = (text: string): { readonly type: string } => {
  const message = parseJson(
    text,
    () => new ContractError('ErrInvalidRequest', 'The message is not valid JSON.'),
  );
  if (typeof message === 'object' && message !== null && 'type' in message) {
    const { type } = message;
    if (typeof type === 'string') return message as { readonly type: string };
  }
  throw new ContractError('ErrInvalidRequest', 'The message has no type.');
};
