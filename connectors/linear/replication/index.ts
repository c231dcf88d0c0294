import type { Replication } from '../../../src/authoring.js';
import {
  commentList,
  comments,
  issueList,
  issues,
  projectList,
  projects,
  stateList,
  teamList,
  teams,
  userList,
  users,
  workflowStates,
} from './lists.js';
import { callsOf } from './read-list.js';

const lists = [issueList, projectList, teamList, stateList, userList, commentList];

/** Replication of Linear's records. */
export const replication: Replication = {
  interval: '5m',
  calls: Object.assign({}, ...lists.map(callsOf)),
  entities: { issues, projects, teams, workflow_states: workflowStates, users, comments },
};
