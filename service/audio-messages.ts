import { z } from 'zod';
import type { AudioBody, AudioBytes } from './audio-body.ts';
import { validate } from './body.ts';
import { ContractError } from './errors.ts';

/**
 * The `messages` form of recognition, whose shape the contract does not show (section 4.5, rule 2):
 * that of the OpenAI chat API. Its texts are instructions to a chat model, so they are no hints.
 */
const messagesForm = z.looseObject({
  messages: z.array(
    z.looseObject({
      role: z.string(),
      content: z.union([
        z.string(),
        z.null(),
        z.array(
          z.looseObject({
            input_audio: z
              .looseObject({ data: z.string(), format: z.string().optional() })
              .optional(),
            audio_url: z.looseObject({ url: z.string() }).optional(),
          }),
        ),
      ]),
    }),
  ),
});

/** The single audio of a request in the `messages` form. Throws a 400 for none and for several. */
export const audioOfMessages = ({ fields, audio, parts }: AudioBody): AudioBytes => {
  const { messages } = validate(messagesForm, fields);
  if (audio)
    throw new ContractError('ErrInvalidParameter', 'Send either audio or messages, not both.');
  const declared = messages
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .flatMap(({ input_audio: data, audio_url: url }) => [data, url])
    .filter((part) => part !== undefined);
  const [found, ...more] = parts;
  if (!found || more.length > 0 || declared.length !== 1)
    throw new ContractError(
      'ErrInvalidParameter',
      `messages: exactly one content part with input_audio or audio_url is needed, ${Math.max(declared.length, parts.length)} were sent`,
    );
  return found;
};
