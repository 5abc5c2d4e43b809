import Ingestion
