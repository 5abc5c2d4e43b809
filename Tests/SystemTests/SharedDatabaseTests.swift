import Foundation
import TestSupport
import Testing

/// What a server does with a PostgreSQL database that it shares with others, isn't its own or may not be used.
@Suite("Shared databases", .ownThread, .enabled(if: DatabaseUnderTest.isPostgreSQL, "a file belongs to one server"))
struct SharedDatabaseTests {
  private static let commands = [
    ["serve", "--listen", "127.0.0.1:0"], ["migrate"], ["token", "create", "--scope", "admin", "--name", "a"],
  ]

  /// Runs commands on a database, which must all be refused and change nothing.
  private func expectRefused(
    _ database: PostgreSQLDatabase, _ commands: [[String]] = Self.commands, mentioning words: [String],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = try dump(database)
    for command in commands {
      let result = try ServerProcess.run(command + ["--database", database.access.url])
      expectFailure(result, mentioning: words, sourceLocation: sourceLocation)
      #expect(!result.error.contains(database.password), sourceLocation: sourceLocation)
      #expect(try dump(database) == before, "\(command)", sourceLocation: sourceLocation)
    }
  }

  /// Everything in a database, as text.
  private func dump(_ database: PostgreSQLDatabase) throws -> String {
    let result = try runCommand(["pg_dump", "--dbname", database.superuser.url])
    try #require(result.status == .code(0), "\(result.error)")
    // What restricts psql while it restores is a random word.
    return result.output.split(separator: "\n").filter { !$0.hasPrefix("\\") || $0 == "\\." }.joined(separator: "\n")
  }

  private func withPostgreSQL(_ body: (PostgreSQLDatabase) async throws -> Void) async throws {
    try await withDatabase { database in
      guard case .postgresql(let database) = database else { return }
      try await body(database)
    }
  }

  private func migrated(_ database: PostgreSQLDatabase) throws -> PostgreSQLSession {
    let result = try ServerProcess.run(["migrate", "--database", database.access.url])
    try #require(result.status == .code(0), "\(result.error)")
    return try PostgreSQLSession(database.superuser)
  }

  @Test("ten servers that start together on an empty database all serve, and the schema is made once")
  func startTogether() async throws {
    try await withDatabase { database in
      let started = try await onThreads(10) { _ in
        Result { try ServerProcess(ServerOptions(database: database)) }
      }
      defer { for node in started { try? node.get().remove() } }
      let nodes = try started.map { try $0.get() }
      let connection = try database.connect()
      let versions = try connection.rows("SELECT version, count(*) FROM schema_migrations GROUP BY 1 ORDER BY 1")
      #expect(!versions.isEmpty)
      #expect(versions == (1...versions.count).map { ["\($0)", "1"] })
      let migrations = nodes.map { node in
        node.log.split(separator: "\n").filter { $0.contains("\"schema_migrated\"") }.count
      }
      #expect(migrations.sorted() == Array(repeating: 0, count: 9) + [versions.count], "one of them made it")
      var bodies = WireBodies(seed: "startTogether")
      for node in nodes {
        let batch = bodies.events(3)
        expectTaken(try post(batch, to: node.port), accepted: 3)
        for other in nodes { expectTaken(try post(batch, to: other.port), accepted: 0, replayed: 3) }
      }
      #expect(try connection.eventCount() == 30)
    }
  }

  @Test("what one server has stored, every other knows at once, also a session, a token and a link")
  func sharedKnowledge() async throws {
    try await withNodes(3) { nodes in
      var bodies = WireBodies(seed: "sharedKnowledge")
      let admin = try nodes[0].createToken(scope: "admin", name: "of-all")
      for round in 0..<10 {
        let own = [bearer(try nodes[round % 3].issueSession(account: bodies.uuid()))]
        let foreign = [bearer(try nodes[(round + 1) % 3].issueSession(account: bodies.uuid()))]
        let batch = round % 2 == 0 ? bodies.events(3) : bodies.summaries(3)
        expectTaken(try post(batch, to: nodes[round % 3].port, headers: own), accepted: 3)
        for node in nodes {
          expectTaken(try post(batch, to: node.port, headers: own), accepted: 0, replayed: 3)
          expectError(try post(batch, to: node.port, headers: foreign), 409, sent: batch.body())
          var conflicting = batch
          conflicting.items[1]["osVersion"] = "1"
          expectError(try post(conflicting, to: node.port), 409, sent: conflicting.body())
        }
      }
      for node in nodes {
        let reply = try exchange("GET", path: "/v1/admin/qzxw-kvjy", port: node.port, headers: [bearer(admin)])
        expectError(reply, 404, sent: [])
      }
      #expect(try nodes[2].run(["token", "revoke", "--name", "of-all"]).status == .code(0))
      for node in nodes {
        let reply = try exchange("GET", path: "/v1/admin/qzxw-kvjy", port: node.port, headers: [bearer(admin)])
        expectError(reply, 401, sent: [])
      }
    }
  }

  @Test("servers come and go under load, and no client but theirs notices")
  func rolling() async throws {
    try await withNodes(3) { nodes in
      let steady = BatchLoad(seed: "rolling steady")
      let port = nodes[0].port
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await steady.run(clients: 4, port: port, limit: 200) }
        for round in 0..<4 {
          let node = nodes[1 + round % 2]
          let load = BatchLoad(seed: "rolling \(round)")
          let (process, ownPort) = (node.process, node.port)
          try await load.run(clients: 3, port: ownPort, limit: 200) { count in
            if count == 60 { process.send(round < 2 ? SIGTERM : SIGKILL) }
          }
          #expect(process.wait(seconds: 30) == (round < 2 ? .code(0) : .signal(SIGKILL)))
          #expect(load.sent.allSatisfy { [nil, 200, 503].contains($0.status) }, "\(Set(load.sent.map(\.status)))")
          try node.restart()
          for before in load.sent where before.isAcknowledged {
            expectTaken(try post(before.batch, to: port), accepted: 0, replayed: before.batch.items.count)
          }
        }
        try await group.waitForAll()
      }
      #expect(steady.sent.count == 800)
      #expect(steady.sent.allSatisfy { $0.isAcknowledged }, "\(Set(steady.sent.map(\.status)))")
    }
  }

  @Test("a schema that a newer version has made is left as it is")
  func newerSchema() async throws {
    try await withPostgreSQL { database in
      let connection = try migrated(database)
      try connection.execute(
        """
        INSERT INTO schema_migrations
        SELECT (jsonb_populate_record(applied, '{"version": 9999}')).* FROM schema_migrations AS applied LIMIT 1
        """)
      try expectRefused(database, mentioning: ["newer", "upgrade"])
      try connection.execute("DELETE FROM schema_migrations WHERE version = 9999")
      try await withServer(ServerOptions(database: .postgresql(database))) { server in
        var bodies = WireBodies(seed: "newerSchema")
        expectTaken(try post(bodies.events(3), to: server.port), accepted: 3)
      }
    }
  }

  @Test("a schema that another build has made is left as it is")
  func differentSchema() async throws {
    try await withPostgreSQL { database in
      let connection = try migrated(database)
      try connection.execute("UPDATE schema_migrations SET checksum = sha256('something else')")
      try expectRefused(database, mentioning: ["different", "another", "other"])
    }
  }

  @Test(
    "a schema of the name of ours with somebody else's tables is left as it is",
    arguments: [
      "CREATE TABLE osg_analytics.events (name text)",
      "CREATE TABLE osg_analytics.schema_migrations (version varchar PRIMARY KEY)",
      "CREATE TABLE osg_analytics.schema_migrations (version bigint); INSERT INTO schema_migrations VALUES (1)",
      "CREATE VIEW osg_analytics.event_day_totals AS SELECT 1 AS day", "CREATE SEQUENCE osg_analytics.numbers",
    ])
  func foreignTables(_ sql: String) async throws {
    try await withPostgreSQL { database in
      try PostgreSQLSession(database.access).execute("CREATE SCHEMA osg_analytics; \(sql)")
      try expectRefused(database, mentioning: ["not ours", "foreign", "another program"])
    }
  }

  @Test("tables with names like ours in other schemas are nobody's business, whatever the search path")
  func neighbours() async throws {
    try await withPostgreSQL { database in
      let session = try PostgreSQLSession(database.superuser)
      try session.execute(
        """
        CREATE TABLE public.events (name text);
        CREATE TABLE public.schema_migrations (version varchar PRIMARY KEY);
        INSERT INTO public.schema_migrations VALUES ('20261129120000');
        CREATE SCHEMA neighbour AUTHORIZATION \(database.name);
        SET ROLE \(database.name);
        CREATE TABLE neighbour.accounts (id serial PRIMARY KEY, name text);
        INSERT INTO neighbour.accounts (name) VALUES ('theirs');
        CREATE FUNCTION neighbour.sum(bigint) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint';
        RESET ROLE;
        ALTER ROLE \(database.name) SET search_path = neighbour, public, pg_catalog
        """)
      try await withServer(ServerOptions(database: .postgresql(database))) { server in
        var bodies = WireBodies(seed: "neighbours")
        let session = try server.issueSession(account: bodies.uuid())
        let batch = bodies.events(3)
        expectTaken(try post(batch, to: server.port, headers: [bearer(session)]), accepted: 3)
        try server.restart()
        expectTaken(try post(batch, to: server.port), accepted: 0, replayed: 3)
        #expect(server.terminate() == .code(0))
      }
      #expect(try session.integer("SELECT count(*) FROM osg_analytics.events") == 3)
      #expect(try session.integer("SELECT sum(event_count) FROM osg_analytics.event_day_totals") == 3)
      #expect(try session.integer("SELECT count(*) FROM public.events") == 0)
      #expect(try session.rows("SELECT * FROM public.schema_migrations") == [["20261129120000"]])
      #expect(try session.rows("SELECT * FROM neighbour.accounts") == [["1", "theirs"]])
      #expect(
        try session.rows(
          "SELECT schemaname, count(*) FROM pg_tables WHERE schemaname IN ('public', 'neighbour') GROUP BY 1 ORDER BY 1"
        )
          == [["neighbour", "1"], ["public", "2"]])
    }
  }

  @Test("a role that migrate lets serve can serve and run commands, and no more than they need")
  func serverRole() async throws {
    try await withPostgreSQL { database in
      let owner = try PostgreSQLSession(database.superuser)
      let role = database.name + "_server"
      try owner.execute("CREATE ROLE \(role) LOGIN PASSWORD '\(database.password)'")
      defer { try? owner.execute("DROP OWNED BY \(role); DROP ROLE \(role)") }
      let access = database.superuser.user(role, password: database.password)
      let server = PostgreSQLDatabase(access: access, superuser: database.superuser)
      try expectRefused(server, Array(Self.commands.prefix(2)), mentioning: ["may not", "permission"])
      let missing = try ServerProcess.run(["migrate", "--server-role", "nobody", "--database", database.access.url])
      #expect(missing.status == .code(1) && missing.error.contains("no role nobody"), "\(missing.error)")
      #expect(try owner.rows("SELECT 1 FROM pg_namespace WHERE nspname = 'osg_analytics'").isEmpty)
      let migrated = try ServerProcess.run(["migrate", "--server-role", role, "--database", database.access.url])
      #expect(migrated.status == .code(0), "\(migrated.error)")
      let granted = try ServerProcess.run(["migrate", "--server-role", role, "--database", access.url])
      #expect(granted.status == .code(1), "who owns nothing grants nothing: \(granted.output)")

      try await withServer(ServerOptions(database: .postgresql(server))) { server in
        var bodies = WireBodies(seed: "serverRole")
        let account = bodies.uuid()
        let session = try server.issueSession(account: account)
        let token = try server.createToken(scope: "admin")
        let reply = try exchange("GET", path: "/v1/admin/qzxw-kvjy", port: server.port, headers: [bearer(token)])
        expectError(reply, 404, sent: [])
        #expect(try server.run(["token", "revoke", "--name", "test"]).status == .code(0))
        for batch in [bodies.events(20), bodies.summaries(20)] {
          expectTaken(try post(batch, to: server.port, headers: [bearer(session)]), accepted: 20)
          expectTaken(try post(batch, to: server.port), accepted: 0, replayed: 20)
          var conflicting = batch
          conflicting.items[1]["osVersion"] = "1"
          conflicting.items.swapAt(0, 1)
          expectError(try post(conflicting, to: server.port), 409, sent: conflicting.body())
        }
        expectTaken(try post(bodies.batch(of: bodies.event("FIRST_OPEN")), to: server.port), accepted: 1)
        try server.restart()
        for command in [["purge"], ["check"], ["erase", "--account", account], ["check"]] {
          let result = try server.run(command)
          #expect(result.status == .code(0), "\(command[0]): \(result.output.suffix(300)) \(result.error)")
        }
        #expect(server.terminate() == .code(0))
      }
      #expect(try owner.integer("SELECT sum(event_count) FROM event_day_totals") == 21)
      #expect(try owner.integer("SELECT count(*) FROM events") == 1)
      let session = try PostgreSQLSession(access)
      for sql in [
        "TRUNCATE events", "UPDATE events SET app_version = NULL", "DROP TABLE events",
        "DELETE FROM folded_event_day_totals", "DELETE FROM tokens", "DELETE FROM settlements",
        "DELETE FROM storekit_transactions", "DELETE FROM sealed_days", "UPDATE sealed_days SET weekly_active = 0",
        "UPDATE schema_migrations SET version = 2", "CREATE TABLE osg_analytics.more (a int)",
      ] {
        let error = #expect(throws: PostgreSQLSessionError.self, "\(sql)") { try session.execute(sql) }
        #expect(error?.state == "42501", "\(sql)")
      }
    }
  }

  @Test("a server that can't keep values out of PostgreSQL's log says so at its start, and no other does")
  func valuesInLog() async throws {
    try await withPostgreSQL { database in
      let superuser = try PostgreSQLSession(database.superuser)
      func expectWarning(_ isExpected: Bool, _ comment: Comment) async throws {
        try await withServer(ServerOptions(database: .postgresql(database))) { server in
          #expect(server.terminate() == .code(0))
          #expect(server.log.contains("\"database_may_log_values\"") == isExpected, comment)
        }
      }
      try await expectWarning(false, "the role may set what is needed")
      try database.letKeepValuesSecret(false)
      try await expectWarning(true, "it may not")
      try superuser.execute("ALTER DATABASE \(database.name) SET log_parameter_max_length = 0")
      try await expectWarning(true, "half of it is set for the database")
      try superuser.execute("ALTER DATABASE \(database.name) SET log_error_verbosity = terse")
      try await expectWarning(false, "all of it is set")
    }
  }

  @Test("a command other than serve and migrate makes no schema")
  func commandOnEmptyDatabase() async throws {
    try await withPostgreSQL { database in
      let before = try dump(database)
      for command in [
        ["token", "list"], ["token", "create", "--scope", "admin", "--name", "a"], ["token", "revoke", "--name", "a"],
        ["session", "issue", "--account", "6513270e-269e-4d37-b2a7-4de452e6b438"],
      ] {
        let result = try ServerProcess.run(command + ["--database", database.access.url])
        expectFailure(result, mentioning: ["migrate", "no database", "not yet", "empty"])
        #expect(result.output.isEmpty)
      }
      #expect(try dump(database) == before)
    }
  }

  @Test("a role that may make nothing here is told so")
  func withoutRights() async throws {
    try await withPostgreSQL { database in
      let session = try PostgreSQLSession(database.superuser)
      try session.execute("ALTER DATABASE \(database.name) OWNER TO CURRENT_USER")
      let commands = Array(Self.commands.prefix(2))
      try expectRefused(database, commands, mentioning: ["permission", "privilege", "may not"])
    }
  }

  @Test("a database that can't be reached is named, its password never")
  func unreachable() async throws {
    try await withPostgreSQL { database in
      let secret = "zZqS3cretMark92"
      let wrong = [
        database.access.user(database.name, password: secret).url,
        database.access.user("nobody_\(database.name)", password: secret).url,
        database.access.user(database.name, password: database.password).database("no_such_database").url,
        "postgres://nobody:\(secret)@127.0.0.1:1/analytics", "postgres://nobody:\(secret)@[::1]:1/analytics",
        "postgres://nobody:\(secret)@no-such-host.invalid/analytics",
        "postgresql://nobody@127.0.0.1:1/analytics?password=\(secret)&connect_timeout=2",
      ]
      for url in wrong {
        for command in [["migrate"], ["token", "list"]] {
          let result = try ServerProcess.run(command + ["--database", url], seconds: 60)
          expectFailure(
            result,
            mentioning: [
              "password", "connect", "reach", "exist", "refused", "role", "user", "resolve", "host", "answer",
            ])
          for text in [result.error, result.output] {
            #expect(!text.contains(secret))
            #expect(!text.contains(database.password))
          }
        }
      }
    }
  }
}
