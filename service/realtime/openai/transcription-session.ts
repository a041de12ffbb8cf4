import { randomUUID } from 'node:crypto';
import { REALTIME_RATE_HZ } from '../../../src/api/realtime/contract.ts';
import { toS16le } from '../../../src/audio/pcm.ts';
import { createResampler } from '../../../src/audio/resample.ts';
import { invalidRequest } from '../../errors.ts';
import { createFaults, parseFrame, type Peer, type PeerSession } from '../peer.ts';
import { type AsrSessionDeps, startRecognitionSession } from '../recognition-session.ts';
import { createItems, type OwnMessage } from './items.ts';
import {
  FIRST_SETTINGS,
  ownSession,
  rateOf,
  readAppended,
  readSettings,
  sessionObject,
} from './messages.ts';

/** Least audio that a client can commit, as in that API. */
const LEAST_COMMIT_MS = 100;

export interface TranscriptionSessionDeps extends AsrSessionDeps {
  /** True for clients of that API's former form. */
  readonly isFormer: boolean;
}

/**
 * Starts a transcription session of the OpenAI API: a session of `/ws/asr/realtime` whose messages are
 * translated in both directions.
 */
export const startTranscriptionSession = (deps: TranscriptionSessionDeps): PeerSession => {
  const { peer: client, isFormer, log } = deps;
  const id = `sess_${randomUUID().replaceAll('-', '')}`;
  const stop = new AbortController();
  let settings = FIRST_SETTINGS;
  let resampler = createResampler(rateOf(settings.format), REALTIME_RATE_HZ);
  let bufferedMs = 0;
  /** The client's id of the message that is being taken. */
  let takenId: string | undefined;

  const say = (type: string, fields: object): void =>
    client.send({ type, event_id: `event_${randomUUID().replaceAll('-', '')}`, ...fields });
  const items = createItems(say, isFormer);

  /** The client, to whom messages of the session beneath are told in that API's form. */
  const peer: Peer = {
    ...client,
    send: (message) => {
      const own = message as OwnMessage;
      if (own.type === 'error' && own.utterance_ids === undefined)
        say('error', {
          error: {
            type: own.code === 'ErrInternal' ? 'server_error' : 'invalid_request_error',
            code: own.code,
            message: own.message,
            param: null,
            event_id: takenId ?? null,
          },
        });
      else items.take(own, settings.findsTurns);
    },
  };
  const { fault } = createFaults(peer, log, stop);
  const session = startRecognitionSession({ ...deps, peer });
  const pass = (message: object): void => session.message(JSON.stringify(message));

  const append = (message: object): void => {
    const samples = readAppended(message, settings.format);
    bufferedMs += (1_000 * samples.length) / rateOf(settings.format);
    const audio = Buffer.from(toS16le(resampler.push(samples))).toString('base64');
    pass({ type: 'input_audio.append', audio });
  };

  const commit = (): void => {
    if (settings.findsTurns ? !items.isOpen() : bufferedMs < LEAST_COMMIT_MS)
      throw invalidRequest('The input audio buffer is empty: nothing to commit.');
    pass({ type: 'input_audio.commit' });
    if (!settings.findsTurns) items.commit();
    bufferedMs = 0;
  };

  const update = (message: { readonly type: string }): void => {
    const before = settings;
    const after = readSettings(message, before);
    const own = ownSession(after);
    settings = after;
    if (rateOf(settings.format) !== rateOf(before.format))
      resampler = createResampler(rateOf(settings.format), REALTIME_RATE_HZ);
    pass({ type: 'session.update', session: own });
    const type = message.type.replace(/update$/, 'updated');
    say(type, { session: sessionObject(id, settings, type.startsWith('transcription')) });
  };

  const take = (message: { readonly type: string }): void => {
    switch (message.type) {
      case 'session.update':
      case 'transcription_session.update':
        return update(message);
      case 'input_audio_buffer.append':
        return append(message);
      case 'input_audio_buffer.commit':
        return commit();
      case 'input_audio_buffer.clear':
        items.clear();
        pass({ type: 'input_audio.clear' });
        bufferedMs = 0;
        return say('input_audio_buffer.cleared', {});
      default:
        throw invalidRequest(
          'The type of the message is unknown here: this is a session for transcription.',
        );
    }
  };

  const created = isFormer ? 'transcription_session.created' : 'session.created';
  say(created, { session: sessionObject(id, settings, isFormer) });
  return {
    ...session,
    peer,
    message: (text) => {
      try {
        const message = parseFrame(text);
        takenId = typeof message['event_id'] === 'string' ? message['event_id'] : undefined;
        take(message);
      } catch (thrown) {
        fault(thrown);
      } finally {
        takenId = undefined;
      }
    },
    closed: () => {
      stop.abort();
      session.closed();
    },
  };
};
