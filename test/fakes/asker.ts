import { createServiceKey, type ServiceKey } from '../../src/api/keys.ts';
import type { Asker } from '../../src/model/service.ts';

/** Somebody who uses a command. */
export const ASKER: Asker = { lane: 'interactive', space: { platform: 'p', id: 'asking' } };

const OPERATORS = createServiceKey('svck:operators');

/** Nobody brought a key. */
export const serviceKeyOf = async (): Promise<ServiceKey> => OPERATORS;
