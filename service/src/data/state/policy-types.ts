import type { ApprovalBy } from 'agent-connectors/wire';

/** What is allowed through a workspace's connectors, or through one of them. */
export interface PolicyRule {
  /** Rejects every call that changes data. */
  readonly readOnly: boolean;
  /** Allowed actions as `entity.action` with `*` for any, or `type:entity.action` for one type; null for all. */
  readonly allow: readonly string[] | null;
  /** Writes that require an approved plan, in the same pattern syntax; null for none. */
  readonly approval: readonly string[] | null;
  readonly approvalBy: ApprovalBy;
}

/** A rule with its target. */
export interface Policy extends PolicyRule {
  readonly workspaceId: string;
  readonly workspaceName: string;
  /** Null if the rule applies to the whole workspace. */
  readonly connectorId: string | null;
  readonly updatedAt: string;
}

/** What a rule applies to. */
export interface PolicyTarget {
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly connectorId: string | null;
}

/** The rules in force. */
export interface Policies {
  /** Policies of an organization or, for a workspace token, of that workspace only. */
  list(scope: { readonly organizationId: string; readonly workspaceId?: string | undefined }): Promise<Policy[]>;
  /** All policies that a call through a connector must satisfy; undefined if the connector does not exist. */
  applicableTo(target: {
    readonly organizationId: string;
    readonly workspaceId: string;
    readonly id: string;
  }): Promise<Policy[] | undefined>;
  /** Replaces a rule; null removes it, which allows everything again. */
  put(target: PolicyTarget, rule: PolicyRule | null): Promise<void>;
}
