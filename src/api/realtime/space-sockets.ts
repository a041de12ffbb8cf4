import { toAppError } from '../../errors.ts';
import type { Space } from '../../model/place.ts';
import type { ServiceKeys } from '../keys.ts';
import { createSocketOpener, type OpenSocket, type RealtimeSocket } from './socket.ts';

/** Opens connections for a space, each with the key that the space has at that moment. */
export type OpenSpaceSocket = (space: Space) => OpenSocket;

export const createSpaceSockets =
  (baseUrl: string, keys: ServiceKeys): OpenSpaceSocket =>
  (space) =>
  (path, listener) => {
    let socket: RealtimeSocket | undefined;
    let isLeft = false;
    const open = async (): Promise<void> => {
      try {
        const key = await keys.of(space);
        if (!isLeft) socket = createSocketOpener(baseUrl, key)(path, listener);
      } catch (thrown) {
        if (!isLeft) listener.closed(toAppError(thrown));
      }
    };
    void open();
    const leave = (how: 'close' | 'drop'): void => {
      isLeft = true;
      socket?.[how]();
    };
    return {
      send: (message) => socket?.send(message),
      hold: (isHeld) => socket?.hold(isHeld),
      close: () => leave('close'),
      drop: () => leave('drop'),
    };
  };
