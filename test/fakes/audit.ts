import { createAudit } from '../../src/store/audit.ts';
import type { AuditEntry } from '../../src/model/audit.ts';
import type { Space } from '../../src/model/place.ts';
import type { Store } from '../../src/store/index.ts';

/** Lists all changes of a space, the newest first. */
export const auditOf = async (store: Store, space: Space): Promise<readonly AuditEntry[]> =>
  (await Array.fromAsync(createAudit(store).list(space))).flat();
