import { joinTexts } from '../../../src/text/local-agreement.ts';
import { recogniseUpload, type RecognitionInput } from '../../recognise-upload.ts';
import { plainReply } from '../../recognise.ts';
import { EVENT_STREAM, eventOf, primed, streamReply } from '../../respond.ts';
import type { RouteContext } from '../../route.ts';

/**
 * Sends a transcript while it is made, in the events of the OpenAI API. The last one has all of the text,
 * in which a second look may have changed what came before. Resolves at its end.
 *
 * @param send takes the reply once the first words are there; until then, an error rejects
 */
export const streamTranscript = async (
  input: RecognitionInput,
  context: RouteContext,
  send: (reply: Response) => void,
): Promise<void> => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>(undefined, {
    highWaterMark: Infinity,
  });
  const writer = writable.getWriter();
  let sent = '';
  const heard = (text: string): void => {
    const whole = joinTexts([sent, text]);
    const delta = whole.slice(sent.length);
    sent = whole;
    if (delta !== '')
      void writer.write(eventOf({ type: 'transcript.text.delta', delta })).catch(() => undefined);
  };
  const made = (async (): Promise<void> => {
    try {
      const spans = await recogniseUpload(
        { ...input, heard: (span) => heard(span.heard.text) },
        context,
      );
      const { text, hotwords_used } = plainReply(spans, input.hints);
      await writer.write(eventOf({ type: 'transcript.text.done', text, hotwords_used }));
      await writer.close();
    } catch (error) {
      await writer.abort(error).catch(() => undefined);
    }
  })();
  const events = (async function* () {
    yield* readable;
  })();
  send(streamReply(await primed(events), EVENT_STREAM, context));
  await made;
};
